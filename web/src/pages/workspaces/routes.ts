import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute, openRoute } from '../../route-frame.tsx'

const TABS = ['week', 'members', 'invitations', 'audit', 'policy'] as const
export type WorkspaceTab = (typeof TABS)[number]

type WorkspaceSearch = { tab?: WorkspaceTab | undefined; page?: number | undefined }

const list = createRoute({
  getParentRoute: () => appRoute,
  path: '/workspaces',
  component: lazyRouteComponent(() => import('./workspaces-page.tsx'), 'WorkspacesPage'),
})

const show = createRoute({
  getParentRoute: () => appRoute,
  path: '/workspaces/$workspaceId',
  validateSearch: (raw: Record<string, unknown>): WorkspaceSearch => ({
    tab: TABS.find((tab) => tab === raw.tab),
    page: Number.isInteger(raw.page) && Number(raw.page) > 1 ? Number(raw.page) : undefined,
  }),
  component: lazyRouteComponent(() => import('./workspace-page.tsx'), 'WorkspacePage'),
})

const invitation = createRoute({
  getParentRoute: () => openRoute,
  path: '/invite/$token',
  component: lazyRouteComponent(() => import('./invitation-page.tsx'), 'InvitationPage'),
})

export const workspaceRoutes = [list, show] as const
export const workspaceOpenRoutes = [invitation] as const
