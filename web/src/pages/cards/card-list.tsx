import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { ListedCard } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { excerpt } from '../../lib/excerpt.ts'
import { formatAgo } from '../../lib/format.ts'
import { useShortcut } from '../../lib/shortcuts.ts'
import { Badge, Tag } from '../../ui/badge.tsx'
import { Checkbox } from '../../ui/field.tsx'
import { StatusBadge, TypeBadge, UsefulCount } from './card-badges.tsx'
import { TrustWords } from './trust/trust-line.tsx'

type Props = {
  cards: ListedCard[]
  chosen?: ReadonlySet<string>
  onChoose?: (cardId: string) => void
  showOwner?: boolean
}

/** A dense list of cards: j and k move, Enter opens; with check boxes where several can be changed at once. */
export function CardList({ cards, chosen, onChoose, showOwner }: Props) {
  const navigate = useNavigate()
  const [at, setAt] = useState(-1)
  const move = (by: number) => setAt((before) => Math.min(cards.length - 1, Math.max(0, before + by)))
  useShortcut('j', () => move(1))
  useShortcut('k', () => move(-1))
  useShortcut('Enter', () => {
    const card = cards[at]
    if (card) void navigate({ to: '/cards/$cardId', params: { cardId: card.card_id } })
  })
  useEffect(() => {
    document.querySelector(`[data-row="${at}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [at])
  return (
    <ul aria-label="Cards" className="divide-y divide-line border-y border-line">
      {cards.map((card, index) => (
        <li
          key={card.card_id}
          data-row={index}
          className={cx(
            'flex items-start gap-3 transition-colors',
            index === at ? 'bg-chosen' : 'hover:bg-hover',
          )}
        >
          {onChoose && (
            <Checkbox
              label={`Choose ${card.title}`}
              hideLabel
              className="py-3 pl-2"
              checked={chosen?.has(card.card_id) ?? false}
              onChange={() => onChoose(card.card_id)}
            />
          )}
          <Link
            to="/cards/$cardId"
            params={{ cardId: card.card_id }}
            className={cx('min-w-0 grow py-3 pr-2 focus-visible:-outline-offset-2', !onChoose && 'pl-2')}
          >
            <span className="line-clamp-2 text-sm font-semibold sm:line-clamp-1">{card.title}</span>
            <span className="mt-0.5 line-clamp-1 text-sm text-soft">{excerpt(card.fix_summary)}</span>
            <span className="mt-1.5 flex flex-wrap items-center gap-x-2 gap-y-1">
              <TypeBadge type={card.card_type} />
              {!showOwner && <StatusBadge card={card} />}
              {card.tags.slice(0, 3).map((tag) => (
                <Tag key={tag}>{tag}</Tag>
              ))}
              <UsefulCount count={card.feedback.useful} />
              {card.likely_outdated && <Badge tone="warn">Outdated?</Badge>}
              <span className="text-xs text-faint">
                {showOwner && `${card.owner_name} · `}
                {formatAgo(card.updated_at)}
              </span>
            </span>
            <TrustWords trust={card.trust} />
          </Link>
        </li>
      ))}
    </ul>
  )
}
