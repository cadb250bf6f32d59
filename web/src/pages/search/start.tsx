import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { call } from '../../api/client.ts'
import type { ListedCard } from '../../api/types.ts'
import { RECENT } from '../../first-load/requests.ts'
import { cx } from '../../lib/cx.ts'
import { formatAgo } from '../../lib/format.ts'
import { useWide } from '../../lib/hooks.ts'
import { Key } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { EmptyState, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { ReadersLine } from '../cards/readers.tsx'
import { AddSamples } from '../first-steps/first-steps.tsx'
import { KeptSearchList } from './kept-searches.tsx'
import type { SearchState } from './search-state.ts'
import * as strings from './strings.ts'

type Change = (next: Partial<SearchState>) => void

const EXAMPLES = [strings.exampleError, strings.exampleGoal, strings.exampleCode]

export const recentQuery = queryOptions({
  queryKey: ['cards', 'recent'],
  queryFn: () => call('GET /api/v1/cases', RECENT),
})

export function StartList({ selected, change }: { selected: string | undefined; change: Change }) {
  const recent = useQuery(recentQuery)
  if (!recent.data)
    return (
      <NotLoaded query={recent}>
        <SkeletonList />
      </NotLoaded>
    )
  const { items } = recent.data
  return (
    <>
      <KeptSearchList change={change} />
      {items.length === 0 ? <EmptyVault change={change} /> : <RecentList cards={items} selected={selected} />}
    </>
  )
}

const EmptyVault = ({ change }: { change: Change }) => (
  <EmptyState
    icon={<Search size={18} />}
    title={strings.emptyVaultTitle}
    action={
      <div className="flex flex-wrap justify-center gap-2">
        <LinkButton to="/cards/new" look="primary">
          {strings.writeFirstCard}
        </LinkButton>
        <LinkButton to="/connect">{strings.connectYourAgent}</LinkButton>
        <AddSamples />
      </div>
    }
    example={
      <>
        {strings.orTrySearch}
        {EXAMPLES.map((example, index) => (
          <span key={example}>
            {index > 0 && ', '}
            <button
              type="button"
              className="font-mono text-accent hover:underline"
              onClick={() => change({ q: example })}
            >
              {example}
            </button>
          </span>
        ))}
      </>
    }
  >
    {strings.emptyVaultHint}
  </EmptyState>
)

function RecentList({ cards, selected }: { cards: ListedCard[]; selected: string | undefined }) {
  const wide = useWide()
  return (
    <>
      <h2 className="border-y border-line bg-sunken px-4 py-1 text-xs font-medium text-soft">
        {strings.changedLast}
      </h2>
      <ul className="divide-y divide-line border-b border-line">
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
                <span dir="auto" className="block truncate text-left text-sm font-semibold">
                  {card.title}
                </span>
                <span className="flex min-w-0 items-center justify-between gap-2">
                  <ReadersLine card={card} />
                  <span className="shrink-0 text-xs text-faint">{formatAgo(card.updated_at)}</span>
                </span>
              </Link>
            </li>
          )
        })}
      </ul>
    </>
  )
}

export function StartPane() {
  const keys = [
    ['/', strings.keyToSearch],
    ['J', 'and'],
    ['K', strings.keyToMove],
    ['?', strings.keyForEveryKey],
  ]
  return (
    <div className="grid h-full place-items-center p-8">
      <div className="grid justify-items-center gap-3 text-center text-sm text-faint">
        <p>{strings.chosenCardOpensHere}</p>
        <p className="flex flex-wrap items-center justify-center gap-1.5">
          {keys.map(([key, does]) => (
            <span key={key} className="inline-flex items-center gap-1.5">
              <Key>{key}</Key> {does}
            </span>
          ))}
        </p>
      </div>
    </div>
  )
}
