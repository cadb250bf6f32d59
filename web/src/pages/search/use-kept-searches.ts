import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { queryClient } from '../../api/query.ts'
import {
  clearSearchHistory,
  forgetSearch,
  type KeptSearch,
  keptSearches,
  rememberSearch,
  saveSearch,
} from '../../api/search.ts'
import { toast, toastError } from '../../ui/toast.tsx'
import type { SearchState } from './search-state.ts'

export const keptQuery = queryOptions({
  queryKey: ['kept-searches'],
  staleTime: 60_000,
  queryFn: ({ signal }) => keptSearches({}, { signal }),
})

const keptChanged = () => queryClient.invalidateQueries({ queryKey: keptQuery.queryKey })

/** Longer ones are pasted text; the server does not keep them either. */
const LONGEST_KEPT = 2000

function askedIn({ q = '', tags, env, track, workspace }: SearchState) {
  const filters = Object.entries({ tags, env, track, workspace }).filter(([, value]) => value)
  return { query: q.trim(), filters: Object.fromEntries(filters) }
}

export const stateOf = ({ query, filters }: KeptSearch): SearchState => ({ q: query, ...filters })

/** A question with an opened hit goes into the history. It happens in the background, and a failure is ignored. */
export function remember(state: SearchState): void {
  const asked = askedIn(state)
  if (asked.query === '' || asked.query.length > LONGEST_KEPT) return
  rememberSearch(asked).then(keptChanged, () => {})
}

export function useKeptSearches() {
  const kept = useQuery(keptQuery)
  const settle = { onSettled: keptChanged, onError: toastError }
  const save = useMutation({
    mutationFn: (state: SearchState) => saveSearch(askedIn(state)),
    ...settle,
    onSuccess: ({ search_id }) =>
      toast('Saved. You find it in the empty search box and in the palette.', {
        undo: () => void forgetSearch({ search_id }).then(keptChanged, toastError),
      }),
  })
  const forget = useMutation({
    mutationFn: ({ search_id }: KeptSearch) => forgetSearch({ search_id }),
    ...settle,
  })
  const clear = useMutation({ mutationFn: () => clearSearchHistory(), ...settle })
  const isSaved = (state: SearchState) => {
    const { query, filters } = askedIn(state)
    return kept.data?.saved.find(
      (one) => one.query === query && JSON.stringify(one.filters) === JSON.stringify(filters),
    )
  }
  return { kept: kept.data, save, forget, clear, isSaved }
}
