import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { call } from '../../api/client.ts'
import type { Card, CardLink } from '../../api/types.ts'
import { formatAgo } from '../../lib/format.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Notice, PartNotLoaded } from '../../ui/states.tsx'
import { toastError } from '../../ui/toast.tsx'
import { TypeBadge } from './card-badges.tsx'
import { CardPart } from './card-content.tsx'
import { cardQuery, nearestFirst } from './card-queries.ts'
import { KeptText } from './lazy-parts.tsx'
import { ReadersLine } from './readers.tsx'
import * as strings from './strings.ts'
import { linksQuery, useLinking, useUnmerge } from './use-card-links.ts'

const WORDS: Record<CardLink['kind'], { out: string; back: string }> = {
  supersedes: { out: strings.supersedes, back: strings.supersededBy },
  duplicates: { out: strings.saysTheSameAsLink, back: strings.saysTheSameAsLink },
  contradicts: { out: strings.contradicts, back: strings.contradictedBy },
  related: { out: strings.relatedTo, back: strings.relatedTo },
}

export function CardLinks({ card }: { card: Card }) {
  const query = useQuery(linksQuery(card.card_id))
  const links = query.data?.items ?? []
  const { remove } = useLinking(card.card_id)
  if (links.length === 0) return <PartNotLoaded what={strings.theLinkedCards} query={query} />
  return (
    <CardPart title={strings.linkedCards}>
      <ul aria-label={strings.linkedCards} className="grid gap-2">
        {links.map((link) => (
          <li key={link.link_id} className="flex items-start gap-2 text-sm">
            <LinkText link={link} cardId={card.card_id} />
            {card.can_edit && (
              <IconButton
                label={strings.takeBackLink(link.other_title)}
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

export const SupersededNotice = ({ by }: { by: NonNullable<Card['superseded_by']> }) => (
  <Notice tone="warn">
    {strings.supersededByBefore}
    <Link
      to="/cards/$cardId"
      params={{ cardId: by.card_id }}
      className="font-medium underline [overflow-wrap:anywhere]"
    >
      {by.title}
    </Link>
    {strings.searchShowsThatOne}
  </Notice>
)

type MergedProps = { card: Card; mergedFrom: string; inPane: boolean }

/** The server says whether the card in the address was merged into this one. */
export function MergedNotice({ card, mergedFrom, inPane }: MergedProps) {
  const asked = useQuery(cardQuery(mergedFrom))
  const why = useQuery(linksQuery(mergedFrom)).data?.merge?.why
  const unmerge = useUnmerge()
  const undo = useMutation({ mutationFn: () => unmerge(mergedFrom, inPane), onError: toastError })
  if (asked.data?.merged_from !== mergedFrom || asked.data.card_id !== card.card_id) return null
  return (
    <>
      <Notice
        action={
          card.can_edit && (
            <Button size="sm" busy={undo.isPending} onClick={() => undo.mutate()}>
              {strings.undoTheMerge}
            </Button>
          )
        }
      >
        {strings.wasMergedIntoThis}
        {why && <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{why}</p>}
      </Notice>
      <KeptText cardId={mergedFrom} />
    </>
  )
}

export function SimilarCards({ card }: { card: Card }) {
  const similar = useQuery({
    queryKey: ['search', 'similar', card.card_id, card.version],
    staleTime: 300_000,
    queryFn: ({ signal }) =>
      call('GET /api/v1/cards/{card_id}/similar', { card_id: card.card_id }, { signal }),
  })
  if (!similar.data || similar.data.length === 0) return null
  return (
    <section aria-label={strings.similarCards} className="border-t border-line pt-5">
      <h3 className="mb-1 text-sm text-soft">{strings.similarCards}</h3>
      <ul className="-mx-2 grid">
        {nearestFirst(similar.data).map((hit) => (
          <li key={hit.card_id}>
            <Link
              to="/cards/$cardId"
              params={{ cardId: hit.card_id }}
              className="flex min-h-9 items-center gap-2 rounded-md px-2 py-1 text-sm hover:bg-hover"
            >
              <TypeBadge type={hit.card_type} />
              <span className="grid min-w-0 grow">
                <span className="truncate">{hit.title}</span>
                <ReadersLine card={hit} />
              </span>
              {hit.similarity >= 0.5 && (
                <span className="shrink-0 text-xs text-faint">
                  {strings.percentTheSame(Math.round(hit.similarity * 100))}
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
