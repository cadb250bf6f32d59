import { queryOptions } from '@tanstack/react-query'
import { getTicket, listMyTickets, listTickets } from '../../api/tickets.ts'

export const ticketsQuery = (status: 'open' | 'closed', page: number) =>
  queryOptions({
    queryKey: ['tickets', status, page],
    queryFn: ({ signal }) => listTickets({ status, page, page_size: 30 }, { signal }),
    placeholderData: (before) => before,
  })

export const ticketQuery = (id: string) =>
  queryOptions({
    queryKey: ['tickets', id],
    queryFn: ({ signal }) => getTicket({ ticket_id: id }, { signal }),
  })

export const MY_TICKETS_A_PAGE = 20

export const myTicketsQuery = (page: number) =>
  queryOptions({
    queryKey: ['tickets', 'mine', page],
    queryFn: ({ signal }) => listMyTickets({ page, page_size: MY_TICKETS_A_PAGE }, { signal }),
    placeholderData: (before) => before,
  })
