import type { OutputOf } from '#server/core/capability.ts'
import type {
  listMyTickets as ListMyTickets,
  replyToTicket as ReplyToTicket,
} from '#server/features/support/replies.ts'
import type {
  closeTicket as CloseTicket,
  getTicket as GetTicket,
  listTickets as ListTickets,
} from '#server/features/support/tickets.ts'
import { call } from './client.ts'

export type Ticket = OutputOf<typeof GetTicket>
export type ListedTicket = OutputOf<typeof ListTickets>['items'][number]

export const listTickets = call<typeof ListTickets>('GET /api/v1/support/tickets')
export const getTicket = call<typeof GetTicket>('GET /api/v1/support/tickets/{ticket_id}')
export const listMyTickets = call<typeof ListMyTickets>('GET /api/v1/support/my-tickets')
export const replyToTicket = call<typeof ReplyToTicket>('POST /api/v1/support/tickets/{ticket_id}/replies')
export const closeTicket = call<typeof CloseTicket>('POST /api/v1/support/tickets/{ticket_id}/close')
