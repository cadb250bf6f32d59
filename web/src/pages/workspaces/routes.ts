import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../lib/loadable.tsx'
import { appRoute, openRoute } from '../../route-frame.tsx'

const TABS = ['week', 'insights', 'members', 'invitations', 'audit', 'policy'] as const
export type WorkspaceTab = (typeof TABS)[number]

type WorkspaceSearch = { tab?: WorkspaceTab | undefined; page?: number | undefined }

const list = createRoute({
  getParentRoute: () => appRoute,
  path: '/workspaces',
  component: lazyPage(() => import('./workspaces-page.tsx'), 'WorkspacesPage'),
})

const show = createRoute({
  getParentRoute: () => appRoute,
  path: '/workspaces/$workspaceId',
  validateSearch: (raw: Record<string, unknown>): WorkspaceSearch => ({
    tab: TABS.find((tab) => tab === raw.tab),
    page: Number.isInteger(raw.page) && Number(raw.page) > 1 ? Number(raw.page) : undefined,
  }),
  component: lazyPage(() => import('./workspace-page.tsx'), 'WorkspacePage'),
})

const invitation = createRoute({
  getParentRoute: () => openRoute,
  path: '/invite/$token',
  component: lazyPage(() => import('./invitation-page.tsx'), 'InvitationPage'),
})

export const workspaceRoutes = [list, show] as const
export const workspaceOpenRoutes = [invitation] as const
