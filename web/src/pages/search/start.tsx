import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call } from '../../api/client.ts'
import type { ListedCard } from '../../api/types.ts'
import { RECENT } from '../../first-load/requests.ts'
import { cx } from '../../lib/cx.ts'
import { excerpt, formatAgo } from '../../lib/format.ts'
import { useWide } from '../../lib/hooks.ts'
import { lazyPart } from '../../lib/loadable.tsx'
import { NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { ReadersLine } from '../cards/readers.tsx'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'
import { KeptSearchList } from './kept-searches.tsx'
import type { SearchState } from './search-state.ts'
import { useUsualReaders } from './sections.tsx'
import * as strings from './strings.ts'

type Change = (next: Partial<SearchState>) => void

export const recentQuery = queryOptions({
  queryKey: ['cards', 'recent'],
  queryFn: () => call('GET /api/v1/cases', RECENT),
})

/** What teams share, with what the person has shared too. */
const teamRecentQuery = queryOptions({
  queryKey: ['cards', 'recent', 'team'],
  queryFn: ({ signal }) =>
    call(
      'GET /api/v1/cases',
      { ...RECENT, scope: 'workspace', without_personal: true, status: 'published' },
      { signal },
    ),
})

export function StartList({ selected, change }: { selected: string | undefined; change: Change }) {
  const wide = useWide()
  const recent = useQuery(recentQuery)
  const workspaces = useQuery(workspacesQuery)
  const hasTeam = workspaces.data?.items.some(({ type }) => type !== 'personal') ?? false
  const team = useQuery({ ...teamRecentQuery, enabled: hasTeam })
  // The list of an empty vault waits for the teams: it may not be empty.
  const isKnown = workspaces.data && (!hasTeam || team.data || team.error)
  if (!recent.data || (recent.data.items.length === 0 && !isKnown && !workspaces.error))
    return (
      <NotLoaded query={recent}>
        <SkeletonList />
      </NotLoaded>
    )
  const mine = recent.data.items
  const known = new Set(mine.map(({ card_id }) => card_id))
  const ofTeam = team.data?.items.filter(({ card_id }) => !known.has(card_id)) ?? []
  const isEmpty = mine.length === 0 && ofTeam.length === 0
  return (
    <>
      {!wide && <HomePane />}
      <KeptSearchList change={change} />
      {isEmpty && <EmptyHome hasTeam={hasTeam} change={change} />}
      {ofTeam.length > 0 && <RecentList title={strings.inYourTeams} cards={ofTeam} selected={selected} />}
      {mine.length > 0 && <RecentList title={strings.changedLast} cards={mine} selected={selected} />}
    </>
  )
}

type RecentProps = { title: string; cards: ListedCard[]; selected: string | undefined }

function RecentList({ title, cards, selected }: RecentProps) {
  const wide = useWide()
  const isUsual = useUsualReaders()
  return (
    <>
      <h2 className="border-y border-line bg-sunken px-4 py-1 text-xs font-medium text-soft">{title}</h2>
      <ul aria-label={title} className="divide-y divide-line border-b border-line">
        {cards.map((card) => {
          const chosen = wide && card.card_id === selected
          const target = wide
            ? ({ to: '/', search: { card: card.card_id }, replace: true } as const)
            : ({ to: '/cards/$cardId', params: { cardId: card.card_id } } as const)
          return (
            <li key={card.card_id} data-hit={card.card_id}>
              <Link
                {...target}
                resetScroll={!wide}
                data-focus={`card-${card.card_id}`}
                aria-current={chosen || undefined}
                className={cx(
                  'block px-4 py-1.5 transition-colors focus-visible:-outline-offset-2',
                  chosen ? 'bg-chosen' : 'hover:bg-hover',
                )}
              >
                <span className="flex min-w-0 items-baseline justify-between gap-2">
                  <span dir="auto" className="min-w-0 truncate text-left text-sm font-semibold">
                    {card.title}
                  </span>
                  <span className="shrink-0 text-xs text-faint tabular-nums">
                    {formatAgo(card.updated_at)}
                  </span>
                </span>
                <span className="flex min-w-0 items-center gap-2">
                  <span className="min-w-0 grow truncate text-sm text-soft">{excerpt(card.fix_summary)}</span>
                  {!isUsual(card) && <ReadersLine card={card} className="max-w-2/5 shrink-0" />}
                </span>
              </Link>
            </li>
          )
        })}
      </ul>
    </>
  )
}

const EmptyHome = lazyPart(async () => (await import('./empty-home.tsx')).EmptyHome)

/** Loaded apart: the first load is for the list and the search. */
export const HomePane = lazyPart(async () => (await import('./home-pane.tsx')).HomePane)
