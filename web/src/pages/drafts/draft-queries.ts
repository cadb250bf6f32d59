import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'

import { queryClient } from '../../api/query.ts'

/** Above what one person can have: three a day for thirty days. */
const MAX_DRAFTS = 100

/** Polled, so that the number in the frame is about right. */
export const draftsQuery = queryOptions({
  queryKey: ['drafts'],
  queryFn: ({ signal }) => call('GET /api/v1/drafts', { page_size: MAX_DRAFTS }, { signal }),
  refetchInterval: 60_000,
})

export const draftsChanged = () =>
  Promise.all([['drafts'], ['cards']].map((queryKey) => queryClient.invalidateQueries({ queryKey })))
