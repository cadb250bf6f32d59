import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import * as strings from './strings.ts'

export const ticketsQuery = (status: 'open' | 'closed', page: number) =>
  queryOptions({
    queryKey: ['tickets', status, page],
    queryFn: ({ signal }) => call('GET /api/v1/support/tickets', { status, page, page_size: 30 }, { signal }),
    placeholderData: (before) => before,
  })

export const ticketQuery = (id: string) =>
  queryOptions({
    queryKey: ['tickets', id],
    queryFn: ({ signal }) => call('GET /api/v1/support/tickets/{ticket_id}', { ticket_id: id }, { signal }),
  })

export const MY_TICKETS_A_PAGE = 20

export const myTicketsQuery = (page: number) =>
  queryOptions({
    queryKey: ['tickets', 'mine', page],
    queryFn: ({ signal }) =>
      call('GET /api/v1/support/my-tickets', { page, page_size: MY_TICKETS_A_PAGE }, { signal }),
    placeholderData: (before) => before,
  })

export const MAX_FILES = 5
export const MAX_FILE_BYTES = 10 * 1024 * 1024

/** Reports a refusal of the server before the upload. */
export function fileProblem(files: readonly { name: string; size: number }[]): string | undefined {
  if (files.length > MAX_FILES) return strings.tooManyFiles(MAX_FILES, files.length - MAX_FILES)
  const big = files.find((file) => file.size > MAX_FILE_BYTES)
  return big ? strings.fileTooLarge(big.name) : undefined
}

export const planName = (planId: string) => `${planId.charAt(0).toUpperCase()}${planId.slice(1)} plan`

export const fileSize = (bytes: number) =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 * 1024
      ? `${Math.round(bytes / 1024)} kB`
      : `${(bytes / 1024 / 1024).toFixed(1)} MB`
