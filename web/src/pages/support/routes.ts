import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../lib/loadable.tsx'
import { appRoute, openRoute } from '../../route-frame.tsx'

const helpSearch = (raw: Record<string, unknown>): { tab?: 'ticket' | undefined } => ({
  tab: raw.tab === 'ticket' ? 'ticket' : undefined,
})

const supportSearch = (raw: Record<string, unknown>): { tab?: 'ticket' | 'mine' | undefined } => ({
  tab: raw.tab === 'ticket' || raw.tab === 'mine' ? raw.tab : undefined,
})

const support = createRoute({
  getParentRoute: () => appRoute,
  path: '/support',
  validateSearch: supportSearch,
  component: lazyPage(() => import('./support-page.tsx'), 'SupportPage'),
})

const help = createRoute({
  getParentRoute: () => openRoute,
  path: '/help',
  validateSearch: helpSearch,
  component: lazyPage(() => import('./support-page.tsx'), 'HelpPage'),
})

const myTicket = createRoute({
  getParentRoute: () => appRoute,
  path: '/support/tickets/$ticketId',
  component: lazyPage(() => import('./ticket-page.tsx'), 'MyTicketPage'),
})

const tickets = createRoute({
  getParentRoute: () => appRoute,
  path: '/admin/tickets',
  validateSearch: (
    raw: Record<string, unknown>,
  ): { status?: 'closed' | undefined; page?: number | undefined } => ({
    status: raw.status === 'closed' ? 'closed' : undefined,
    page: Number.isInteger(raw.page) && Number(raw.page) > 1 ? Number(raw.page) : undefined,
  }),
  component: lazyPage(() => import('./tickets-page.tsx'), 'TicketsPage'),
})

const ticket = createRoute({
  getParentRoute: () => appRoute,
  path: '/admin/tickets/$ticketId',
  component: lazyPage(() => import('./ticket-page.tsx'), 'TicketPage'),
})

export const supportRoutes = [support, myTicket, tickets, ticket] as const
export const supportOpenRoutes = [help] as const
