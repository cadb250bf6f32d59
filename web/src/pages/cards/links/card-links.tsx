import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import type { Card, CardLink } from '../../../api/types.ts'
import { formatAgo } from '../../../lib/format.ts'
import { IconButton } from '../../../ui/button.tsx'
import { PartNotLoaded } from '../../../ui/states.tsx'
import { CardPart } from '../card-part.tsx'
import { ReadersLine } from '../sharing/readers.tsx'
import { linksQuery, useLinking } from './use-card-links.ts'

/** The link in words, seen from each of the two cards. */
const WORDS: Record<CardLink['kind'], { out: string; back: string }> = {
  supersedes: { out: 'Supersedes', back: 'Superseded by' },
  duplicates: { out: 'Says the same as', back: 'Says the same as' },
  contradicts: { out: 'Contradicts', back: 'Contradicted by' },
  related: { out: 'Related to', back: 'Related to' },
}

/** The links of this card, in both directions. */
export function CardLinks({ card }: { card: Card }) {
  const query = useQuery(linksQuery(card.card_id))
  const links = query.data?.items ?? []
  const { remove } = useLinking(card.card_id)
  if (links.length === 0) return <PartNotLoaded what="The linked cards" query={query} />
  return (
    <CardPart title="Linked cards">
      <ul aria-label="Linked cards" className="grid gap-2">
        {links.map((link) => (
          <li key={link.link_id} className="flex items-start gap-2 text-sm">
            <LinkText link={link} cardId={card.card_id} />
            {card.can_edit && (
              <IconButton
                label={`Take back the link to ${link.other_title}`}
                className="-my-1.5"
                disabled={remove.isPending}
                onClick={() => remove.mutate(link)}
              >
                <X size={14} />
              </IconButton>
            )}
          </li>
        ))}
      </ul>
    </CardPart>
  )
}

function LinkText({ link, cardId }: { link: CardLink; cardId: string }) {
  const isOut = link.from_card_id === cardId
  const words = WORDS[link.kind]
  return (
    <div className="min-w-0 grow">
      <span className="text-soft">{isOut ? words.out : words.back} </span>
      <Link
        to="/cards/$cardId"
        params={{ cardId: isOut ? link.to_card_id : link.from_card_id }}
        className="font-medium hover:underline [overflow-wrap:anywhere]"
      >
        {link.other_title}
      </Link>
      <p className="flex">
        <ReadersLine card={{ home: link.other_home, readers: link.other_readers }} />
      </p>
      {link.why && <p className="whitespace-pre-wrap text-soft [overflow-wrap:anywhere]">{link.why}</p>}
      <p className="text-xs text-faint">
        {link.created_by_name && (
          <>
            <bdi>{link.created_by_name}</bdi>
            {' · '}
          </>
        )}
        {formatAgo(link.created_at)}
      </p>
    </div>
  )
}
