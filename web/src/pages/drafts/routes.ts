import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../lib/loadable.tsx'
import { appRoute } from '../../route-frame.tsx'

const drafts = createRoute({
  getParentRoute: () => appRoute,
  path: '/drafts',
  component: lazyPage(() => import('./drafts-page.tsx'), 'DraftsPage'),
})

export const draftRoutes = [drafts] as const
