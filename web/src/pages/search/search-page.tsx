import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useEffect } from 'react'
import { useTitle } from '../../lib/use-title.ts'
import { useWide } from '../../lib/use-wide.ts'
import { SkeletonList, SkeletonPage } from '../../ui/states.tsx'
import { PaidSearch } from './paid-search.tsx'
import { ResultList } from './result-list.tsx'
import { SearchBar } from './search-bar.tsx'
import type { SearchState } from './search-state.ts'
import { StartList, StartPane } from './start.tsx'
import { useSearch } from './use-search.ts'

const DetailPane = lazy(() => import('./detail-pane.tsx').then((module) => ({ default: module.DetailPane })))
const ActionCardPane = lazy(() =>
  import('./action-card.tsx').then((module) => ({ default: module.ActionCardPane })),
)

const route = getRouteApi('/app/')

export function SearchPage() {
  const state = route.useSearch()
  const navigate = route.useNavigate()
  const wide = useWide()
  const search = useSearch(state)
  const change = useCallback(
    (next: Partial<SearchState>, replace = true) =>
      void navigate({ search: (before) => ({ ...before, ...next }), replace, resetScroll: false }),
    [navigate],
  )
  const answer = search.answer
  const first = answer?.results[0]?.card_id
  const planShown = Boolean(answer?.action_card) && !state.card

  // With room beside the list, the best hit is already open; a link to it is made only by choosing it.
  const open = state.card ?? (planShown ? undefined : first)
  // An open card names the tab itself.
  useTitle(wide && open ? undefined : (state.q ?? ''))
  useEffect(() => {
    if (state.card)
      document.querySelector(`[data-hit="${CSS.escape(state.card)}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [state.card])

  return (
    <div className="md:grid md:h-dvh md:grid-cols-[minmax(--spacing(90),44%)_minmax(0,1fr)] lg:grid-cols-[minmax(--spacing(105),40%)_minmax(0,1fr)]">
      <section aria-label="Search" className="flex min-h-0 flex-col border-line md:border-r">
        <h1 className="sr-only">Search</h1>
        <SearchBar state={state} change={change} onSend={search.send} sending={search.loading} />
        <div className="min-h-0 grow md:overflow-y-auto">
          {search.error ? (
            <PaidSearch.Error error={search.error} onRetry={() => void search.retry()} />
          ) : answer ? (
            <ResultList
              answer={answer}
              state={state}
              change={change}
              selected={wide ? open : state.card}
              wide={wide}
            />
          ) : search.loading ? (
            <SkeletonList />
          ) : search.ready && search.paid ? (
            <PaidSearch.Offer
              query={state.q ?? ''}
              onSend={search.send}
              onFree={() => change({ scope: undefined })}
            />
          ) : (
            <StartList typed={Boolean(state.q)} selected={state.card} change={change} />
          )}
        </div>
      </section>
      {wide && (
        <section aria-label="Card" className="min-h-0 overflow-y-auto bg-panel">
          <Suspense fallback={<SkeletonPage />}>
            {planShown && answer?.action_card ? (
              <ActionCardPane plan={answer.action_card} />
            ) : open && answer ? (
              <DetailPane
                cardId={open}
                terms={answer.results.find((hit) => hit.card_id === open)?.matched_terms ?? []}
              />
            ) : state.card ? (
              <DetailPane cardId={state.card} terms={[]} />
            ) : (
              <StartPane />
            )}
          </Suspense>
        </section>
      )}
    </div>
  )
}
