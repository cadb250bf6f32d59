import { Link } from '@tanstack/react-router'
import type { Card } from '../../api/types.ts'
import { formatAgo, formatTime } from '../../lib/format.ts'
import { CardActions } from './card-actions.tsx'
import { TypeBadge } from './card-badges.tsx'
import { ReadersLine } from './sharing/readers.tsx'
import { TrustLine } from './trust/trust-line.tsx'

type Props = { card: Card; terms: string[]; inPane: boolean }

/** What a card is called, who wrote and reads it, and what can be done with it. */
export function CardHead({ card, terms, inPane }: Props) {
  const Heading = inPane ? 'h2' : 'h1'
  return (
    <header className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <TypeBadge type={card.card_type} />
          <ReadersLine card={card} />
        </div>
        <CardActions card={card} inPane={inPane} />
      </div>
      <Heading dir="auto" className="text-lg font-semibold tracking-tight wrap-break-word">
        {card.title}
      </Heading>
      <Origin card={card} terms={terms} />
      {card.trust && <TrustLine trust={card.trust} />}
    </header>
  )
}

/** The author, the version, where the card came from, and the words that a search matched. */
const Origin = ({ card, terms }: Pick<Props, 'card' | 'terms'>) => (
  <p className="text-xs text-faint">
    <bdi>{card.owner_name}</bdi> ·{' '}
    <span title={formatTime(card.updated_at)}>changed {formatAgo(card.updated_at)}</span> ·{' '}
    {card.can_edit ? (
      <Link
        to="/cards/$cardId/history"
        params={{ cardId: card.card_id }}
        className="hover:text-ink hover:underline"
      >
        version {card.version}
      </Link>
    ) : (
      <>version {card.version}</>
    )}
    {card.source_event_id && (
      <>
        {' · '}
        <Link
          to="/memory/events/$rawId"
          params={{ rawId: card.source_event_id }}
          className="hover:text-ink hover:underline"
        >
          from your memory
        </Link>
      </>
    )}
    {terms.length > 0 && (
      <>
        {' '}
        · matches <span className="font-mono">{terms.slice(0, 6).join(' ')}</span>
      </>
    )}
  </p>
)
