import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient } from '../../api/query.ts'
import { searchCards } from '../../api/search.ts'
import type { SearchResponse, User } from '../../api/types.ts'
import { randomId } from '../../lib/random.ts'
import { tab } from '../../lib/storage.ts'
import { meQuery } from '../../session.ts'
import { type SearchState, searchInput } from './search-state.ts'

/**
 * Free scopes search as you type. A public search costs, so it runs only when it is sent, and its answer is kept
 * for this tab: back, forward and reload show it again without a second charge.
 */
export function useSearch(state: SearchState) {
  const input = searchInput(state)
  const paid = input.scope === 'public'
  const key = ['search', input] as const
  const storeKey = `kv-search-2:${JSON.stringify(input)}`
  const [failure, setFailure] = useState<{ key: string; error: unknown } | null>(null)
  const [sending, setSending] = useState(false)
  const query = useQuery({
    queryKey: key,
    enabled: !paid && input.query.length >= 3,
    placeholderData: paid ? undefined : keepPreviousData,
    staleTime: paid ? Number.POSITIVE_INFINITY : 15_000,
    gcTime: paid ? Number.POSITIVE_INFINITY : 300_000,
    initialData: () => (paid ? (tab.read<SearchResponse>(storeKey) ?? undefined) : undefined),
    queryFn: ({ signal }) => searchCards(input, { signal }),
  })

  const send = async () => {
    setSending(true)
    setFailure(null)
    try {
      const answer = await searchCards(input, { headers: { 'Idempotency-Key': randomId() } })
      queryClient.setQueryData(key, answer)
      queryClient.setQueryData(
        meQuery.queryKey,
        (user: User | null | undefined) => user && { ...user, credits_balance: answer.credits_balance },
      )
      tab.write(storeKey, answer)
    } catch (error) {
      setFailure({ key: storeKey, error })
    } finally {
      setSending(false)
    }
  }

  return {
    paid,
    ready: input.query.length >= 3,
    answer: input.query.length >= 3 ? query.data : undefined,
    loading: sending || (query.isFetching && !query.data),
    error: failure?.key === storeKey ? failure.error : query.error,
    send,
    retry: () => (paid ? send() : query.refetch()),
  }
}
