import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../lib/loadable.tsx'
import { appRoute } from '../../route-frame.tsx'

// Mails of the server link to this address.
const inbox = createRoute({
  getParentRoute: () => appRoute,
  path: '/inbox',
  validateSearch: (raw: Record<string, unknown>): { page?: number | undefined } => ({
    page: Number.isInteger(raw.page) && Number(raw.page) > 1 ? Number(raw.page) : undefined,
  }),
  component: lazyPage(() => import('./inbox-page.tsx'), 'InboxPage'),
})

export const inboxRoutes = [inbox] as const
