import { Link } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import type { ReactNode } from 'react'
import type { BoxEvent, BoxHit } from '../../api/search.ts'
import { aroundMark } from '../../lib/around-mark.ts'
import { cx } from '../../lib/cx.ts'
import { formatAgo } from '../../lib/format.ts'
import { plainLine } from '../../lib/plain-line.ts'
import { Badge, Tag } from '../../ui/badge.tsx'
import { Marked } from '../../ui/marked.tsx'
import { ReadersLine } from '../cards/sharing/readers.tsx'
import { EVENT_TYPES } from '../memory/routes.ts'
import { cardPage, eventPage } from './hits.ts'
import type { SearchState } from './search-state.ts'
import { remember } from './use-kept-searches.ts'

/** The whole row is a link; the tags are above it. */
const ROW_LINK =
  'min-w-0 truncate text-sm font-semibold after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent'

type RowProps = { isChosen: boolean; first: ReactNode; second: ReactNode }

/** Two lines, as dense as they can be read. */
const Row = ({ isChosen, first, second }: RowProps) => (
  <div
    className={cx(
      'relative px-4 py-1.5 transition-colors',
      isChosen
        ? 'bg-chosen before:absolute before:inset-y-0 before:left-0 before:w-0.5 before:bg-accent'
        : 'hover:bg-hover',
    )}
  >
    <div className="flex min-w-0 items-baseline justify-between gap-2">{first}</div>
    <div className="flex min-w-0 items-center gap-2">{second}</div>
  </div>
)

type Props = { state: SearchState; isChosen: boolean; wide: boolean }

const TAGS_SHOWN = 1

/** “Worked for 3, failed for 1”: the rest of the summary would take the room of the title. */
const inShort = ({ worked, failed, stale }: NonNullable<BoxHit['trust']>): string => {
  const counts = { worked, failed, outdated: stale }
  const words = Object.entries(counts).filter(([, count]) => count > 0)
  const text = words.map(([outcome, count]) => `${outcome} for ${count}`).join(', ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export function CardHit({ hit, state, isChosen, wide }: Props & { hit: BoxHit }) {
  const link = wide
    ? ({ to: '/', search: { ...state, card: hit.card_id, event: undefined }, replace: true } as const)
    : cardPage(hit)
  return (
    <Row
      isChosen={isChosen}
      first={
        <>
          <Link
            {...link}
            resetScroll={!wide}
            onClick={() => remember(state)}
            data-focus={`card-${hit.card_id}`}
            aria-current={isChosen || undefined}
            dir="auto"
            className={ROW_LINK}
          >
            {hit.title}
          </Link>
          {/* Half of the line stays for the title. */}
          <span className="flex max-w-1/2 shrink-0 items-center gap-1.5">
            {hit.trust && hit.trust.people > 0 && (
              <span className="truncate text-xs text-soft" title={hit.trust.summary}>
                {inShort(hit.trust)}
              </span>
            )}
            {hit.likely_outdated && (
              <span className="shrink-0">
                <Badge tone="warn">Outdated?</Badge>
              </span>
            )}
            {hit.tags.slice(0, hit.trust?.people ? 0 : TAGS_SHOWN).map((tag) => (
              <Link
                key={tag}
                to="/"
                search={{ ...state, tags: tag, card: undefined, event: undefined }}
                aria-label={`Only with the tag ${tag}`}
                className="relative z-10 max-w-24 rounded-sm hover:bg-chosen max-sm:hidden"
              >
                <Tag>{tag}</Tag>
              </Link>
            ))}
          </span>
        </>
      }
      second={
        <>
          <span className="min-w-0 grow truncate text-sm text-soft">
            <Marked text={aroundMark(hit.snippet)} />
          </span>
          <ReadersLine card={hit} className="max-w-1/2 shrink-0" />
        </>
      }
    />
  )
}

export function EventHit({ event, state, isChosen, wide }: Props & { event: BoxEvent }) {
  const link = wide
    ? ({ to: '/', search: { ...state, event: event.raw_id, card: undefined }, replace: true } as const)
    : eventPage(event, state.q ?? '')
  return (
    <Row
      isChosen={isChosen}
      first={
        <>
          <Link
            {...link}
            resetScroll={!wide}
            onClick={() => remember(state)}
            data-focus={`event-${event.raw_id}`}
            aria-current={isChosen || undefined}
            dir="auto"
            className={ROW_LINK}
          >
            {plainLine(event.title ?? event.snippet)}
          </Link>
          <span className="shrink-0 text-xs text-faint">{formatAgo(event.created_at)}</span>
        </>
      }
      second={
        <>
          <span className="min-w-0 grow truncate text-sm text-soft">
            {event.title ? plainLine(event.snippet) : EVENT_TYPES[event.event_type]}
          </span>
          <span className="inline-flex max-w-1/2 shrink-0 items-center gap-1 text-xs text-faint">
            <Lock size={12} aria-hidden className="shrink-0" />
            <span className="truncate">{event.project_key} · Only you</span>
          </span>
        </>
      }
    />
  )
}
