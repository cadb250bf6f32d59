import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { Bookmark, History, X } from 'lucide-react'
import { call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { KeptSearch } from '../../api/types.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { chosenLabels } from '../cards/card-filters.tsx'
import { NO_FILTERS, NOTHING_CHOSEN, type SearchState, usedFilters } from './search-state.ts'
import * as strings from './strings.ts'

/** The palette finds the others. */
const RECENT_SHOWN = 5
const SAVED_SHOWN = 8

export function KeptSearchList({
  change,
}: {
  change: (next: Partial<SearchState>, replace?: boolean) => void
}) {
  const { kept, forget, clear } = useKeptSearches()
  if (!kept || kept.saved.length + kept.recent.length === 0) return null
  const ask = (search: KeptSearch) => change({ ...NO_FILTERS, ...NOTHING_CHOSEN, ...stateOf(search) }, false)
  return (
    <section aria-label={strings.yourSearches}>
      <h2 className="flex items-center justify-between border-y border-line bg-sunken px-4 py-1 text-xs font-medium text-soft">
        {strings.yourSearches}
        {kept.recent.length > 0 && (
          <Button look="ghost" size="sm" className="-my-1 h-6! text-xs!" onClick={() => clear.mutate()}>
            {strings.clearTheHistory}
          </Button>
        )}
      </h2>
      <ul>
        {[...kept.saved.slice(0, SAVED_SHOWN), ...kept.recent.slice(0, RECENT_SHOWN)].map((search) => (
          <li key={search.search_id} className="flex items-center pr-2 hover:bg-hover">
            <button
              type="button"
              onClick={() => ask(search)}
              className="flex h-8 min-w-0 grow items-center gap-2 px-4 text-left text-sm focus-visible:-outline-offset-2 pointer-coarse:h-10"
            >
              <KindIcon kind={search.kind} />
              <span className="truncate">{search.name ?? search.query}</span>
              <FilterWords filters={search.filters} />
            </button>
            <IconButton
              label={strings.forgetSearch(search.name ?? search.query)}
              onClick={() => forget.mutate(search)}
            >
              <X size={12} />
            </IconButton>
          </li>
        ))}
      </ul>
    </section>
  )
}

export const KindIcon = ({ kind }: { kind: KeptSearch['kind'] }) =>
  kind === 'saved' ? (
    <Bookmark size={14} aria-label={strings.savedBefore} className="shrink-0 text-faint" />
  ) : (
    <History size={14} aria-label={strings.searchedEarlier} className="shrink-0 text-faint" />
  )

const FilterWords = ({ filters }: { filters: KeptSearch['filters'] }) => {
  const words = [filters.tags, filters.env, ...chosenLabels(filters).map((label) => label.toLowerCase())]
  const text = words.filter(Boolean).join(' · ')
  return text ? <span className="truncate text-xs text-faint">{text}</span> : null
}

export const keptQuery = queryOptions({
  queryKey: ['kept-searches'],
  staleTime: 60_000,
  queryFn: ({ signal }) => call('GET /api/v1/searches', {}, { signal }),
})

const keptChanged = () => queryClient.invalidateQueries({ queryKey: keptQuery.queryKey })

/** Longer queries are pasted text; the server keeps none of them. */
const MAX_KEPT_CHARS = 2000

const askedIn = (state: SearchState) => ({ query: (state.q ?? '').trim(), filters: usedFilters(state) })

export const stateOf = ({ query, filters }: KeptSearch): SearchState => ({ q: query, ...filters })

/** Adds a query with an opened hit to the history. A failure is ignored. */
export function remember(state: SearchState): void {
  const asked = askedIn(state)
  if (asked.query === '' || asked.query.length > MAX_KEPT_CHARS) return
  call('POST /api/v1/searches/recent', asked).then(keptChanged, () => {})
}

export function useKeptSearches() {
  const kept = useQuery(keptQuery)
  const settle = { onSettled: keptChanged, onError: toastError }
  const save = useMutation({
    mutationFn: (state: SearchState) => call('POST /api/v1/searches/saved', askedIn(state)),
    ...settle,
    onSuccess: ({ search_id }) =>
      toast(strings.searchSaved, {
        undo: () =>
          void call('DELETE /api/v1/searches/{search_id}', { search_id }).then(keptChanged, toastError),
      }),
  })
  const forget = useMutation({
    mutationFn: ({ search_id }: KeptSearch) => call('DELETE /api/v1/searches/{search_id}', { search_id }),
    ...settle,
  })
  const clear = useMutation({ mutationFn: () => call('DELETE /api/v1/searches/recent'), ...settle })
  const isSaved = (state: SearchState) => {
    const { query, filters } = askedIn(state)
    return kept.data?.saved.find(
      (one) => one.query === query && JSON.stringify(one.filters) === JSON.stringify(filters),
    )
  }
  return { kept: kept.data, save, forget, clear, isSaved }
}
