import { Link, useNavigate } from '@tanstack/react-router'
import type { Card } from '../../api/types.ts'
import { formatAgo, formatTime } from '../../lib/format.ts'
import { useShortcut } from '../../lib/shortcuts.ts'
import { useTitle } from '../../lib/use-title.ts'
import { Tag } from '../../ui/badge.tsx'
import { Boundary } from '../../ui/boundary.tsx'
import { LazyMarkdown } from '../../ui/lazy-markdown.tsx'
import type { ShownImages } from '../../ui/markdown/picture.tsx'
import { Notice } from '../../ui/states.tsx'
import { CardActions } from './card-actions.tsx'
import { TypeBadge } from './card-badges.tsx'
import { CardPart as Part } from './card-part.tsx'
import { typeOf } from './card-types.ts'
import { Cites } from './cites/cites.tsx'
import { Comments } from './comments/comments.tsx'
import { EvidenceList } from './evidence-list.tsx'
import { Feedback } from './feedback.tsx'
import { ImageList } from './images/image-list.tsx'
import { useCardImages } from './images/use-card-images.ts'
import { CardLinks } from './links/card-links.tsx'
import { MergedNotice, SupersededNotice } from './links/succession-notices.tsx'
import { ReviewNote } from './review-note.tsx'
import { ReadersLine } from './sharing/readers.tsx'
import { SimilarCards } from './similar-cards.tsx'
import { TrustLine } from './trust/trust-line.tsx'
import { Verdicts } from './trust/verdicts.tsx'

export const cardLink = (cardId: string) => `${location.origin}/cards/${cardId}`

type Props = { card: Card; terms: string[]; inPane: boolean; mergedFrom: string | undefined }

/** A card to read: in the pane beside the results, and as a page of its own. */
export function CardView({ card, terms, inPane, mergedFrom }: Props) {
  const navigate = useNavigate()
  const words = typeOf(card.card_type)
  const Heading = inPane ? 'h2' : 'h1'
  useTitle(card.title)
  useShortcut(
    'e',
    () => void navigate({ to: '/cards/$cardId/edit', params: { cardId: card.card_id } }),
    card.can_edit,
  )
  const { shown, others } = useCardImages(card)
  const environment = Object.entries(card.environment ?? {})
  return (
    <article className="mx-auto grid max-w-reading gap-6 px-4 py-5 md:px-8 md:py-7">
      <header className="grid gap-3">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
            <TypeBadge type={card.card_type} />
            <ReadersLine card={card} />
          </div>
          <CardActions card={card} inPane={inPane} />
        </div>
        <Heading className="text-lg font-semibold tracking-tight wrap-break-word">{card.title}</Heading>
        <p className="text-xs text-faint">
          {card.owner_name} ·{' '}
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
        {card.trust && <TrustLine trust={card.trust} />}
      </header>
      {mergedFrom && <MergedNotice card={card} mergedFrom={mergedFrom} inPane={inPane} />}
      {card.superseded_by && <SupersededNotice by={card.superseded_by} />}
      <ReviewNote card={card} />
      {card.likely_outdated && (
        <Notice tone="warn">
          Verdicts and feedback speak against this card. Check it before you rely on it.
        </Notice>
      )}
      <Part title={words.symptom.label}>
        <LazyMarkdown images={shown}>{card.symptom}</LazyMarkdown>
      </Part>
      <Part title={words.fix.label} strong>
        <LazyMarkdown images={shown}>{card.fix_summary}</LazyMarkdown>
      </Part>
      {card.root_cause && (
        <Part title="Root cause">
          <LazyMarkdown images={shown}>{card.root_cause}</LazyMarkdown>
        </Part>
      )}
      {card.steps.length > 0 && (
        <Part title="Steps">
          <Steps steps={card.steps} images={shown} />
        </Part>
      )}
      {card.body && (
        <Part title="Notes">
          <LazyMarkdown images={shown}>{card.body}</LazyMarkdown>
        </Part>
      )}
      {card.evidences && card.evidences.length > 0 && (
        <Part title="Evidence">
          <EvidenceList evidences={card.evidences} sourceEventId={card.source_event_id} />
        </Part>
      )}
      {others.length > 0 && (
        <Part title="Pictures">
          <ImageList images={others} />
        </Part>
      )}
      {environment.length > 0 && (
        <Part title="Environment">
          <dl className="flex flex-wrap gap-2">
            {environment.map(([name, value]) => (
              <div
                key={name}
                className="flex h-6 max-w-full items-center gap-1.5 rounded-sm bg-sunken px-2 font-mono text-xs"
              >
                <dt className="text-faint">{name}</dt>
                <dd className="truncate">{value}</dd>
              </div>
            ))}
          </dl>
        </Part>
      )}
      <Cites card={card} />
      {card.scope_notes && (
        <Part title="Where it applies">
          <LazyMarkdown images={shown}>{card.scope_notes}</LazyMarkdown>
        </Part>
      )}
      {card.tags.length > 0 && (
        <ul aria-label="Tags" className="flex flex-wrap gap-1.5">
          {card.tags.map((tag) => (
            <li key={tag} className="max-w-full">
              <Link to="/" search={{ q: tag, tags: tag }} className="block rounded-sm hover:bg-hover">
                <Tag>{tag}</Tag>
              </Link>
            </li>
          ))}
        </ul>
      )}
      <Boundary what="The links of this card">
        <CardLinks card={card} />
      </Boundary>
      <div data-screen="" className="grid gap-6">
        <Boundary what="What people found">
          <Verdicts card={card} />
        </Boundary>
        <Boundary what="The feedback">
          <Feedback card={card} />
        </Boundary>
        <Boundary what="The comments">
          <Comments card={card} />
        </Boundary>
        <Boundary what="The list of similar cards">
          <SimilarCards card={card} />
        </Boundary>
      </div>
    </article>
  )
}

function Steps({ steps, images }: { steps: Card['steps']; images: ShownImages }) {
  return (
    <ol className="grid gap-3">
      {steps
        .toSorted((a, b) => a.order - b.order)
        .map((step, index) => (
          <li key={index} className="grid grid-cols-[--spacing(5)_minmax(0,1fr)] gap-x-3">
            <span
              aria-hidden
              className="mt-0.5 grid size-5 place-items-center rounded-full bg-sunken text-xs text-soft tabular-nums"
            >
              {index + 1}
            </span>
            <div>
              <LazyMarkdown images={images}>{step.action}</LazyMarkdown>
              {step.result && <p className="mt-0.5 text-sm whitespace-pre-wrap text-soft">→ {step.result}</p>}
            </div>
          </li>
        ))}
    </ol>
  )
}
