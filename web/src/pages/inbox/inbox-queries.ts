import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'

import { queryClient } from '../../api/query.ts'

export const PAGE_SIZE = 20

export const inboxQuery = (page: number) =>
  queryOptions({
    queryKey: ['notices', 'page', page],
    queryFn: ({ signal }) => call('GET /api/v1/notices', { page, page_size: PAGE_SIZE }, { signal }),
    placeholderData: (before) => before,
  })

/** Polled, so that the number in the frame is about right. */
export const unreadQuery = queryOptions({
  queryKey: ['notices', 'unread'],
  queryFn: ({ signal }) => call('GET /api/v1/notices/unread', {}, { signal }),
  refetchInterval: 60_000,
})

export const inboxChanged = () => queryClient.invalidateQueries({ queryKey: ['notices'] })
