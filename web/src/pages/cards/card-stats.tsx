import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { cardStats } from '../../api/cards.ts'
import { formatAgo, formatNumber } from '../../lib/format.ts'
import { Bars } from '../../ui/bars.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { typeOf } from './card-types.ts'
import { type ListState, whoseCards } from './list-state.ts'

/** Numbers with small charts, beside the list: of all cards that its filters choose from. */
export function CardStatsPanel({ state }: { state: ListState }) {
  const whose = whoseCards(state)
  const stats = useQuery({ queryKey: ['cards', 'stats', whose], queryFn: () => cardStats(whose) })
  if (!stats.data && stats.error) return null
  if (!stats.data)
    return (
      <aside aria-label="Numbers" className="grid content-start gap-3">
        <Skeleton className="h-6 w-1/2" />
        <Skeleton className="w-full" />
        <Skeleton className="w-3/4" />
      </aside>
    )
  const { total, published, unpublished, by_type, top_tags, feedback, last_activity_at } = stats.data
  const types = Object.entries(by_type).filter(([, count]) => count > 0)
  return (
    <aside aria-label="Numbers" className="grid content-start gap-6">
      <dl className="grid grid-cols-3 gap-3">
        <Figure name="Cards" value={total} />
        {whose.scope === 'personal' && (
          <>
            <Figure name="Shared" value={published} />
            <Figure name="Not shared" value={unpublished} />
          </>
        )}
      </dl>
      {whose.scope === 'personal' && total > 0 && <Split published={published} total={total} />}
      {types.length > 0 && (
        <Block title="By type">
          <Bars
            label="Cards by type"
            rows={types
              .toSorted((a, b) => b[1] - a[1])
              .map(([type, value]) => ({ name: typeOf(type).label, value }))}
          />
        </Block>
      )}
      {top_tags.length > 0 && (
        <Block title="Most used tags">
          <Bars
            label="Most used tags"
            rows={top_tags.slice(0, 6).map(({ tag, count }) => ({ name: tag, value: count }))}
            link={(tag) => (
              <Link
                to="/cards"
                search={{ ...state, tag }}
                aria-label={`Only with the tag ${tag}`}
                className="rounded-sm hover:text-ink hover:underline"
              >
                {tag}
              </Link>
            )}
          />
        </Block>
      )}
      <Block title="Feedback received">
        <Bars
          label="Feedback received"
          rows={[
            { name: 'Useful', value: feedback.useful },
            { name: 'Did not apply', value: feedback.not_applicable },
            { name: 'Outdated', value: feedback.outdated },
          ]}
        />
      </Block>
      {last_activity_at && <p className="text-xs text-faint">Last change {formatAgo(last_activity_at)}</p>}
    </aside>
  )
}

const Figure = ({ name, value }: { name: string; value: number }) => (
  <div className="flex flex-col-reverse">
    <dt className="text-xs text-faint">{name}</dt>
    <dd className="text-lg font-semibold tabular-nums">{formatNumber(value)}</dd>
  </div>
)

const Block = ({ title, children }: { title: string; children: ReactNode }) => (
  <section>
    <h2 className="mb-2 text-xs font-medium text-faint">{title}</h2>
    {children}
  </section>
)

/** The share of shared or published cards, as one bar. */
const Split = ({ published, total }: { published: number; total: number }) => (
  <div
    role="img"
    aria-label={`${published} of ${total} shared or published`}
    className="-mt-3 flex h-1.5 overflow-hidden rounded-full bg-sunken"
  >
    <span className="bg-ok" style={{ width: `${(published / total) * 100}%` }} />
  </div>
)
