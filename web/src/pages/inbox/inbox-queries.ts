import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'

import { queryClient } from '../../api/query.ts'

export const PAGE_SIZE = 20

/** The page and the number in the frame come from one answer, so that they never differ. */
export const inboxQuery = (page: number) =>
  queryOptions({
    queryKey: ['notices', 'page', page],
    queryFn: async ({ signal }) => {
      const answer = await call('GET /api/v1/notices', { page, page_size: PAGE_SIZE }, { signal })
      queryClient.setQueryData(unreadQuery.queryKey, { unread: answer.unread })
      return answer
    },
    placeholderData: (before) => before,
  })

const ASKED_EVERY_MS = 20_000

/** A new number makes an open inbox ask again. */
export const unreadQuery = queryOptions({
  queryKey: ['notices', 'unread'],
  queryFn: async ({ signal }) => {
    const answer = await call('GET /api/v1/notices/unread', {}, { signal })
    const before = queryClient.getQueryData<{ unread: number }>(['notices', 'unread'])
    if (before && before.unread !== answer.unread)
      void queryClient.invalidateQueries({ queryKey: ['notices', 'page'] })
    return answer
  },
  refetchInterval: ASKED_EVERY_MS,
})

export const inboxChanged = () => queryClient.invalidateQueries({ queryKey: ['notices'] })
