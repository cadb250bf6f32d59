import { getRouteApi, redirect, useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect } from 'react'
import { queryClient } from '../../api/query.ts'
import type { BoxAnswer, BoxEvent } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { isWide, useWide } from '../../lib/hooks.ts'
import { lazyPart } from '../../lib/loadable.tsx'
import { useShortcut } from '../../lib/shortcuts.ts'
import { useTitle } from '../../lib/title.ts'
import { meQuery, useShowsCredits } from '../../session.ts'
import { NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { cardQuery } from '../cards/card-queries.ts'
import { remember } from './kept-searches.tsx'
import { SearchBar } from './search-bar.tsx'
import { NOTHING_CHOSEN, type SearchState, searchInput } from './search-state.ts'
import {
  type Chosen,
  cardPage,
  eventPage,
  FreeSections,
  LibrarySection,
  NothingFound,
  neighbour,
  Summary,
} from './sections.tsx'
import { HomePane, recentQuery, StartList } from './start.tsx'
import * as strings from './strings.ts'
import { freeSearchQuery, useFreeSearch, useLibrarySearch } from './use-search.ts'

const DetailPane = lazyPart(async () => (await import('./detail-pane.tsx')).DetailPane)
const EventPane = lazyPart(async () => (await import('./panes.tsx')).EventPane)
const ActionCardPane = lazyPart(async () => (await import('./panes.tsx')).ActionCardPane)

const route = getRouteApi('/app/')

const hitsOf = (answer: BoxAnswer | undefined) =>
  [answer?.mine, answer?.team, answer?.library].flatMap((found) => found?.results ?? [])

export function SearchPage() {
  const state = route.useSearch()
  const navigateHere = route.useNavigate()
  const navigate = useNavigate()
  const wide = useWide()
  const showsCredits = useShowsCredits()
  const free = useFreeSearch(state)
  const library = useLibrarySearch(state)
  const change = useCallback(
    (next: Partial<SearchState>, replace = true) =>
      void navigateHere({ search: (before) => ({ ...before, ...next }), replace, resetScroll: false }),
    [navigateHere],
  )
  const answer = state.q ? free.data : undefined
  const events: BoxEvent[] = answer?.memory?.results ?? []
  const found = hitsOf(answer).length + events.length
  const isPlanShown = state.plan && !state.card && !state.event
  const plan = isPlanShown ? (library.answer?.action_card ?? answer?.action_card) : null
  // On a wide screen the best hit is open; the address names it only after it is chosen.
  const hits = [answer, library.answer].flatMap(hitsOf)
  const first = hits[0]?.card_id
  const selected: SearchState =
    state.card || state.event || !wide || plan ? state : { ...state, ...NOTHING_CHOSEN, card: first }
  // Paper shows the open detail, else the list.
  const isOpen = wide && Boolean(plan || selected.card || selected.event)
  useTitle(wide && selected.card ? undefined : (state.q ?? ''))

  const open = () => {
    if (!state.card && !state.event) return
    remember(state)
    const event = events.find((one) => one.raw_id === state.event)
    if (event) void navigate(eventPage(event, state.q ?? ''))
    else if (state.card) void navigate(cardPage({ card_id: state.card }))
  }
  useMoves(state, change, open)

  return (
    <div className="md:grid md:h-dvh md:grid-cols-[minmax(--spacing(90),44%)_minmax(0,1fr)] lg:grid-cols-[minmax(--spacing(105),40%)_minmax(0,1fr)] print:block print:h-auto">
      <section
        aria-label={strings.search}
        className={cx('flex min-h-0 flex-col border-line md:border-r', isOpen && 'print:hidden')}
      >
        <h1 className="sr-only">{strings.search}</h1>
        <SearchBar state={state} change={change} onEnter={open} />
        <div className="min-h-0 grow md:overflow-y-auto print:overflow-visible">
          {!state.q ? (
            <StartList selected={state.card} change={change} />
          ) : !answer ? (
            <NotLoaded query={free}>
              <SkeletonList />
            </NotLoaded>
          ) : (
            <>
              <Summary answer={answer} library={library.answer} showsCredits={showsCredits} />
              {found === 0 && <NothingFound state={state} change={change} library={library.answer} />}
              <FreeSections answer={answer} state={state} selected={selected} change={change} wide={wide} />
              <LibrarySection library={library} state={state} selected={selected} wide={wide} />
            </>
          )}
        </div>
      </section>
      {wide && (
        <section
          aria-label={strings.card}
          className="min-h-0 overflow-y-auto bg-panel print:overflow-visible"
        >
          {plan ? (
            <ActionCardPane plan={plan} />
          ) : selected.event ? (
            <EventPane rawId={selected.event} query={state.q ?? ''} />
          ) : selected.card ? (
            <DetailPane
              cardId={selected.card}
              terms={hits.find((hit) => hit.card_id === selected.card)?.matched_terms ?? []}
            />
          ) : (
            <HomePane />
          )}
        </section>
      )}
    </div>
  )
}

/** Returns the hits on the page from top to bottom. */
const hitsOnPage = (): Chosen[] =>
  [...document.querySelectorAll<HTMLElement>('[data-hit] a[data-focus]')].flatMap(({ dataset }) => {
    const [, kind, id] = /^(card|event)-(.+)$/.exec(dataset.focus ?? '') ?? []
    return kind && id ? [{ [kind]: id }] : []
  })

/** j and k, and the arrows in the box, move from hit to hit; Enter opens the chosen one. */
function useMoves(state: SearchState, change: (next: Partial<SearchState>) => void, open: () => void) {
  const move = (by: number) => {
    const next = neighbour(hitsOnPage(), state, by)
    if (next) change({ ...NOTHING_CHOSEN, ...next })
  }
  useShortcut('j', () => move(1))
  useShortcut('k', () => move(-1))
  useShortcut('Enter', open, Boolean(state.card || state.event))
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const inBox = event.target instanceof HTMLElement && event.target.matches('[data-search-box]')
      if (!inBox || event.isComposing || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
      event.preventDefault()
      move(event.key === 'ArrowDown' ? 1 : -1)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
  const chosen = state.card ?? state.event
  useEffect(() => {
    if (chosen)
      document.querySelector(`[data-hit="${CSS.escape(chosen)}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
}

/** Too short to notice. */
const MAX_WAIT_MS = 50

let isFirst = true

/** Where there is no room for list and card, the chosen card or event is a page of its own. */
function redirectToDetail({ card, event }: SearchState): void {
  if (isWide()) return
  if (card) throw redirect({ ...cardPage({ card_id: card }), replace: true })
  if (event) throw redirect({ to: '/memory/events/$rawId', params: { rawId: event }, replace: true })
}

/** Waits for the answers of src/first-load, so that the first page is drawn once, with its data. */
export async function waitForFirstAnswers(state: SearchState): Promise<void> {
  if (!isFirst || !queryClient.getQueryData(meQuery.queryKey)) return
  isFirst = false
  redirectToDetail(state)
  const list = searchInput(state).query
    ? queryClient.prefetchQuery(freeSearchQuery(state))
    : queryClient.prefetchQuery(recentQuery)
  const card = state.card ? [queryClient.prefetchQuery(cardQuery(state.card)), DetailPane.preload()] : []
  const tooLong = new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS))
  await Promise.race([Promise.all([list, ...card]), tooLong])
}
