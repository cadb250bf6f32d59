import { Link } from '@tanstack/react-router'
import type { ListedCard } from '../../../api/types.ts'
import { excerpt } from '../../../lib/excerpt.ts'
import { formatAgo } from '../../../lib/format.ts'
import { Badge, Tag } from '../../../ui/badge.tsx'
import { Checkbox } from '../../../ui/field.tsx'
import { Skeleton } from '../../../ui/states.tsx'
import { TypeBadge, UsefulCount } from '../card-badges.tsx'
import type { ListState } from '../list-state.ts'
import { ReadersLine } from '../sharing/readers.tsx'
import { TrustWords } from '../trust/trust-line.tsx'

/** Where a tag leads: to the same list with that tag alone. */
export type TagLinks = { to: '/cards' | '/library'; state: ListState }

type Props = {
  card: ListedCard
  isChosen: boolean
  onChoose: ((card: ListedCard) => void) | undefined
  tags: TagLinks
  showOwner: boolean
}

/** The whole row opens the card; its tags and its checkbox are above that link. */
export function CardRow({ card, isChosen, onChoose, tags, showOwner }: Props) {
  return (
    <div className="relative flex items-start gap-3 border-b border-line px-2 py-2 transition-colors focus-within:bg-chosen hover:bg-hover">
      {onChoose && (
        <span className="relative z-10 w-4 shrink-0">
          {card.can_edit && (
            <Checkbox
              label={`Choose ${card.title}`}
              hideLabel
              checked={isChosen}
              onChange={() => onChoose(card)}
            />
          )}
        </span>
      )}
      <div className="min-w-0 grow">
        <p className="flex min-w-0 items-baseline gap-2">
          <Link
            to="/cards/$cardId"
            params={{ cardId: card.card_id }}
            data-focus={`card-${card.card_id}`}
            dir="auto"
            className="max-w-full shrink-0 truncate text-sm font-semibold after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
          >
            {card.title}
          </Link>
          <span className="min-w-0 truncate text-sm text-faint max-sm:hidden">
            {excerpt(card.fix_summary)}
          </span>
        </p>
        <div className="mt-1 flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <TypeBadge type={card.card_type} />
          <ReadersLine card={card} className="max-w-72" />
          {card.tags.slice(0, 3).map((tag) => (
            <Link
              key={tag}
              to={tags.to}
              search={{ ...tags.state, tag }}
              aria-label={`Only with the tag ${tag}`}
              className="relative z-10 max-w-40 min-w-0 rounded-sm hover:bg-chosen"
            >
              <Tag>{tag}</Tag>
            </Link>
          ))}
          <UsefulCount count={card.feedback.useful} />
          {card.superseded_by && <Badge>Superseded</Badge>}
          {card.likely_outdated && <Badge tone="warn">Outdated?</Badge>}
          <TrustWords trust={card.trust} />
          <span className="text-xs wrap-anywhere text-faint">
            {showOwner && (
              <>
                <bdi>{card.owner_name}</bdi>
                {' · '}
              </>
            )}
            {formatAgo(card.updated_at)}
          </span>
        </div>
      </div>
    </div>
  )
}

/** The placeholder of a row that is being loaded. */
export const EmptyRow = () => (
  <div className="grid gap-2.5 border-b border-line px-2 py-3.5">
    <Skeleton className="w-1/2" />
    <Skeleton className="h-2.5 w-1/3" />
  </div>
)
