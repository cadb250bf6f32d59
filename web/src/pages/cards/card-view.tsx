import { useQuery } from '@tanstack/react-query'
import { Link, Navigate, useNavigate } from '@tanstack/react-router'
import { useDeferredValue } from 'react'
import type { Card } from '../../api/types.ts'
import { formatAgo, formatTime } from '../../lib/format.ts'
import { useShortcut } from '../../lib/shortcuts.ts'
import { useTitle } from '../../lib/title.ts'
import { LinkButton } from '../../ui/button.tsx'
import { copyText } from '../../ui/copy-button.tsx'
import { Boundary } from '../../ui/lazy.tsx'
import { Notice, NotLoaded, SkeletonPage } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { CardActions, cardLink } from './card-actions.tsx'
import { TrustLine, TypeBadge } from './card-badges.tsx'
import { CardContent, LicenceAndOrigin } from './card-content.tsx'
import { CardLinks, MergedNotice, SimilarCards, SupersededNotice } from './card-links.tsx'
import { HiddenNotice, ReviewNote } from './card-notices.tsx'
import { cardQuery, isOutOfReach } from './card-queries.ts'
import { Comments } from './comments.tsx'
import { KeptText } from './lazy-parts.tsx'
import { ReadersLine } from './readers.tsx'
import * as strings from './strings.ts'
import { Verdicts } from './verdicts.tsx'

type CardLoaderProps = {
  cardId: string
  terms?: string[]
  inPane?: boolean
  /** The id in the address, if this card was merged from it. */
  mergedFrom?: string | undefined
}

export function CardLoader({ cardId, terms = [], inPane = false, mergedFrom }: CardLoaderProps) {
  const card = useQuery(cardQuery(cardId))
  useShortcut('y', () => void copyText(cardLink(cardId)).then(() => toast(strings.linkCopied), toastError))
  const answers = card.data?.merged_from && card.data.card_id
  if (answers && inPane)
    return <CardLoader key={answers} cardId={answers} terms={terms} inPane mergedFrom={cardId} />
  if (answers)
    return (
      <Navigate to="/cards/$cardId" params={{ cardId: answers }} search={{ merged_from: cardId }} replace />
    )
  if (card.data) return <CardView card={card.data} terms={terms} inPane={inPane} mergedFrom={mergedFrom} />
  return (
    <>
      <NotLoaded
        isPage={!inPane}
        query={card}
        action={<LinkButton to="/cards">{strings.myCards}</LinkButton>}
      >
        <SkeletonPage narrow />
      </NotLoaded>
      {isOutOfReach(card.error) && <KeptText cardId={cardId} />}
    </>
  )
}

type CardViewProps = { card: Card; terms: string[]; inPane: boolean; mergedFrom: string | undefined }

function CardView({ card, terms, inPane, mergedFrom }: CardViewProps) {
  const navigate = useNavigate()
  useTitle(card.title)
  useShortcut(
    'e',
    () => void navigate({ to: '/cards/$cardId/edit', params: { cardId: card.card_id } }),
    card.can_edit,
  )
  // The parts around the text are drawn after it: people read first.
  const isTextDrawn = useDeferredValue(true, false)
  return (
    <article className="mx-auto grid max-w-reading gap-6 px-4 py-5 md:px-8 md:py-7">
      <CardHead card={card} terms={terms} inPane={inPane} />
      {mergedFrom && <MergedNotice card={card} mergedFrom={mergedFrom} inPane={inPane} />}
      {card.superseded_by && <SupersededNotice by={card.superseded_by} />}
      <HiddenNotice card={card} />
      <ReviewNote card={card} />
      {card.likely_outdated && <Notice tone="warn">{strings.distrustedWarning}</Notice>}
      <CardContent card={card} />
      <LicenceAndOrigin card={card} />
      <Boundary what={strings.linksOfCard}>
        <CardLinks card={card} />
      </Boundary>
      {isTextDrawn && (
        <div data-screen="" className="grid gap-6">
          <Boundary what={strings.whatPeopleFound}>
            <Verdicts card={card} />
          </Boundary>
          <Boundary what={strings.theComments}>
            <Comments card={card} />
          </Boundary>
          <Boundary what={strings.similarCardsList}>
            <SimilarCards card={card} />
          </Boundary>
        </div>
      )}
    </article>
  )
}

type CardHeadProps = { card: Card; terms: string[]; inPane: boolean }

function CardHead({ card, terms, inPane }: CardHeadProps) {
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
      <TrustLine trust={card.trust} />
    </header>
  )
}

const Origin = ({ card, terms }: Pick<CardHeadProps, 'card' | 'terms'>) => (
  <p className="text-xs text-faint">
    <bdi>{card.owner_name}</bdi> ·{' '}
    <span title={formatTime(card.updated_at)}>{strings.changedAgo(formatAgo(card.updated_at))}</span> ·{' '}
    {card.can_read_history ? (
      <Link
        to="/cards/$cardId/history"
        params={{ cardId: card.card_id }}
        className="hover:text-ink hover:underline"
      >
        {strings.versionNumber(card.version)}
      </Link>
    ) : (
      strings.versionNumber(card.version)
    )}
    {card.source_event_id && (
      <>
        {' · '}
        <Link
          to="/memory/events/$rawId"
          params={{ rawId: card.source_event_id }}
          className="hover:text-ink hover:underline"
        >
          {strings.fromYourMemory}
        </Link>
      </>
    )}
    {terms.length > 0 && (
      <>
        {strings.matchesBefore}
        <span className="font-mono">{terms.slice(0, 6).join(' ')}</span>
      </>
    )}
  </p>
)
