import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../lib/loadable.tsx'
import { appRoute } from '../../route-frame.tsx'

const index = createRoute({
  getParentRoute: () => appRoute,
  path: '/guide',
  validateSearch: (raw: Record<string, unknown>): { q?: string | undefined } => ({
    q: typeof raw.q === 'string' || typeof raw.q === 'number' ? String(raw.q) || undefined : undefined,
  }),
  component: lazyPage(() => import('./guide-pages.tsx'), 'GuideIndex'),
})

const page = createRoute({
  getParentRoute: () => appRoute,
  path: '/guide/$page',
  component: lazyPage(() => import('./guide-pages.tsx'), 'GuidePage'),
})

export const guideRoutes = [index, page] as const
