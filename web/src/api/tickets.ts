import type { OutputOf } from '#server/core/capability.ts'
import type {
  closeTicket as CloseTicket,
  getTicket as GetTicket,
  listTickets as ListTickets,
} from '#server/features/support/tickets.ts'
import { call } from './client.ts'

export type Ticket = OutputOf<typeof GetTicket>

export const listTickets = call<typeof ListTickets>('GET /api/v1/support/tickets')
export const getTicket = call<typeof GetTicket>('GET /api/v1/support/tickets/{ticket_id}')
export const closeTicket = call<typeof CloseTicket>('POST /api/v1/support/tickets/{ticket_id}/close')
