import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { BoxAnswer } from '../../api/types.ts'
import { freeSearch } from '../../first-load/requests.ts'
import { sessionUser } from '../../lib/session-user.ts'
import { tab } from '../../lib/storage.ts'
import { refreshMe } from '../../session.ts'
import {
  HITS_AT_ONCE,
  idempotencyKey,
  librarySearchInput,
  paidInput,
  type SearchState,
  searchInput,
} from './search-state.ts'

export const freeSearchQuery = (state: SearchState) => {
  const question = searchInput(state)
  return queryOptions({
    queryKey: ['search', 'free', question],
    queryFn: ({ signal }) => call('POST /api/v1/search/box', freeSearch(question), { signal }),
  })
}

export const useFreeSearch = (state: SearchState) =>
  useQuery({
    ...freeSearchQuery(state),
    enabled: searchInput(state).query !== '',
    placeholderData: keepPreviousData,
  })

/** Counts a query that found nothing as a missed search of the team, once it is no longer being typed. */
export function tellMissed(state: SearchState): void {
  const question = { ...searchInput(state), sections: ['mine', 'team'] as ('mine' | 'team')[], limit: 1 }
  call('POST /api/v1/search/box', question).catch(() => {})
}

export type FreeSection = 'mine' | 'team' | 'memory'

/** Asks again with a higher limit, since a ranking has no pages. */
export function useMore(state: SearchState, section: FreeSection) {
  const question = searchInput(state)
  const text = JSON.stringify(question)
  const [asked, setAsked] = useState({ text, limit: HITS_AT_ONCE })
  const limit = asked.text === text ? asked.limit : HITS_AT_ONCE
  const query = useQuery({
    queryKey: ['search', 'more', question, section, limit],
    enabled: limit > HITS_AT_ONCE,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call('POST /api/v1/search/box', { ...question, typing: true, sections: [section], limit }, { signal }),
  })
  return {
    answer: limit > HITS_AT_ONCE && query.data?.query === question.query ? query.data[section] : null,
    loading: query.isFetching,
    error: query.error,
    more: () => {
      if (query.error) void query.refetch()
      else setAsked({ text, limit: Math.min(1000, limit * 5) })
    },
  }
}

/**
 * A query with and without a plan has one key. If the other one came first today, the server refuses this
 * one, and the first answer is repeated instead of a second charge.
 */
async function askLibrary(state: SearchState): Promise<BoxAnswer> {
  const headers = { 'Idempotency-Key': idempotencyKey(librarySearchInput(state), new Date()) }
  try {
    return await call('POST /api/v1/search/box', librarySearchInput(state), { headers })
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'idempotency_conflict')) throw error
    return call(
      'POST /api/v1/search/box',
      librarySearchInput({ ...state, plan: state.plan ? undefined : true }),
      { headers },
    )
  }
}

/**
 * Runs only when it is sent, because it costs. The key makes the server repeat the first answer of the day
 * in every tab, browser or session, so no query is paid for twice.
 */
export function useLibrarySearch(state: SearchState) {
  const question = paidInput(librarySearchInput(state))
  const key = ['search', 'library', question] as const
  // A session may end without signing out, and another person may continue in this tab.
  const storeKey = `kv-library:${sessionUser()}:${JSON.stringify(question)}`
  const [failure, setFailure] = useState<{ key: string; error: unknown } | null>(null)
  const [sending, setSending] = useState(false)
  const query = useQuery({
    queryKey: key,
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    initialData: () => tab.read<BoxAnswer>(storeKey) ?? undefined,
    queryFn: () => askLibrary(state),
  })
  const send = async () => {
    setSending(true)
    setFailure(null)
    try {
      const answer = await askLibrary(state)
      queryClient.setQueryData(key, answer)
      // The balance in the answer may be an old one, repeated.
      void refreshMe()
      tab.write(storeKey, answer)
    } catch (error) {
      setFailure({ key: storeKey, error })
    } finally {
      setSending(false)
    }
  }
  return {
    answer: query.data,
    sending,
    error: failure?.key === storeKey ? failure.error : null,
    send,
  }
}
