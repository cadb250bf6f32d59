import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { listCards } from '../../api/cards.ts'
import { formatAgo } from '../../lib/format.ts'
import { Key } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { EmptyState, SkeletonList } from '../../ui/states.tsx'
import { StatusBadge, TypeBadge } from '../cards/card-badges.tsx'
import type { SearchState } from './search-state.ts'

const examples = ['connection pool exhausted', 'how to rotate a signing key', 'ENOSPC inotify watchers']

/** Before the first word: what changed last, or how to begin. */
export function StartList({
  typed,
  change,
}: {
  typed: boolean
  change: (next: Partial<SearchState>) => void
}) {
  const recent = useQuery({
    queryKey: ['cards', 'recent'],
    queryFn: () => listCards({ scope: 'personal', page_size: 8 }),
  })
  if (typed) return <p className="px-4 py-6 text-sm text-faint">Three characters at least.</p>
  if (recent.isPending) return <SkeletonList />
  if (!recent.data || recent.data.items.length === 0)
    return (
      <EmptyState
        icon={<Search size={18} />}
        title="Your vault is empty"
        action={
          <div className="flex flex-wrap justify-center gap-2">
            <LinkButton to="/cards/new" look="primary">
              Write the first card
            </LinkButton>
            <LinkButton to="/connect">Connect your agent</LinkButton>
          </div>
        }
        example={
          <>
            Try a search in the library:{' '}
            {examples.map((example, index) => (
              <span key={example}>
                {index > 0 && ', '}
                <button
                  type="button"
                  className="font-mono text-accent hover:underline"
                  onClick={() => change({ q: example, scope: 'public' })}
                >
                  {example}
                </button>
              </span>
            ))}
          </>
        }
      >
        A card is one problem and its solution. Write one by hand, or let your agent record what it solves.
      </EmptyState>
    )
  return (
    <>
      <h2 className="px-4 py-2 text-xs text-faint">Changed last</h2>
      <ul className="divide-y divide-line border-y border-line">
        {recent.data.items.map((card) => (
          <li key={card.card_id}>
            <Link
              to="/cards/$cardId"
              params={{ cardId: card.card_id }}
              className="block px-4 py-3 transition-colors hover:bg-hover focus-visible:outline-offset-[-2px]"
            >
              <span className="line-clamp-1 text-sm font-semibold">{card.title}</span>
              <span className="mt-1 line-clamp-1 text-sm text-soft">{card.symptom}</span>
              <span className="mt-2 flex flex-wrap items-center gap-2">
                <TypeBadge type={card.card_type} />
                <StatusBadge card={card} />
                <span className="text-xs text-faint">{formatAgo(card.updated_at)}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}

export function StartPane() {
  const keys = [
    ['/', 'to search'],
    ['J', 'and'],
    ['K', 'to move'],
    ['?', 'for every key'],
  ]
  return (
    <div className="grid h-full place-items-center p-8">
      <div className="grid justify-items-center gap-3 text-center text-sm text-faint">
        <p>The card you choose opens here.</p>
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
