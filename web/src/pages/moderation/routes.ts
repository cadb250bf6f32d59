import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../lib/loadable.tsx'
import { appRoute, openRoute } from '../../route-frame.tsx'

type QueueSearch = {
  tab?: 'decided' | 'bans' | undefined
  workspace?: string | undefined
  page?: number | undefined
}

const pageOf = (raw: unknown) => (Number.isInteger(raw) && Number(raw) > 1 ? Number(raw) : undefined)

const queue = createRoute({
  getParentRoute: () => appRoute,
  path: '/moderation',
  validateSearch: (raw: Record<string, unknown>): QueueSearch => ({
    tab: raw.tab === 'decided' || raw.tab === 'bans' ? raw.tab : undefined,
    workspace: typeof raw.workspace === 'string' ? raw.workspace : undefined,
    page: pageOf(raw.page),
  }),
  component: lazyPage(() => import('./queue-page.tsx'), 'QueuePage'),
})

const oneMatter = createRoute({
  getParentRoute: () => appRoute,
  path: '/moderation/$matterId',
  validateSearch: (raw: Record<string, unknown>): { version?: number | undefined } => ({
    version: Number.isInteger(raw.version) && Number(raw.version) > 0 ? Number(raw.version) : undefined,
  }),
  component: lazyPage(() => import('./matter-page.tsx'), 'MatterPage'),
})

/** Readers of the public pages have no account. */
const report = createRoute({
  getParentRoute: () => openRoute,
  path: '/report/$cardId',
  component: lazyPage(() => import('./report.tsx'), 'ReportPage'),
})

export const moderationRoutes = [queue, oneMatter] as const
export const moderationOpenRoutes = [report] as const
