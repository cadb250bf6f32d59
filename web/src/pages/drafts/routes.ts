import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../route-frame.tsx'

const drafts = createRoute({
  getParentRoute: () => appRoute,
  path: '/drafts',
  component: lazyRouteComponent(() => import('./drafts-page.tsx'), 'DraftsPage'),
})

export const draftRoutes = [drafts] as const
