import { createRoute, redirect } from '@tanstack/react-router'
import { lazyPage } from '../../lib/loadable.tsx'
import { appRoute } from '../../route-frame.tsx'

type EffectsSearch = { workspace?: string | undefined }

const effects = createRoute({
  getParentRoute: () => appRoute,
  path: '/effects',
  validateSearch: (raw: Record<string, unknown>): EffectsSearch => ({
    workspace: typeof raw.workspace === 'string' ? raw.workspace : undefined,
  }),
  // Mails and bookmarks may still have the former address of a team's figures.
  beforeLoad: ({ search: { workspace } }) => {
    if (workspace)
      throw redirect({
        to: '/workspaces/$workspaceId',
        params: { workspaceId: workspace },
        search: { tab: 'insights' },
        replace: true,
      })
  },
  component: lazyPage(() => import('./effects-page.tsx'), 'EffectsPage'),
})

export const effectRoutes = [effects] as const
