import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'

import { queryClient } from '../../api/query.ts'

/** Three a day for thirty days are the most that there can be. */
const MOST = 100

/** Polled from time to time, so that the number in the frame is about right. */
export const draftsQuery = queryOptions({
  queryKey: ['drafts'],
  queryFn: ({ signal }) => call('GET /api/v1/drafts', { page_size: MOST }, { signal }),
  refetchInterval: 60_000,
})

export const draftsChanged = () =>
  Promise.all([['drafts'], ['cards']].map((queryKey) => queryClient.invalidateQueries({ queryKey })))
