import { Link } from '@tanstack/react-router'
import type { Card } from '../../api/types.ts'
import { Tag } from '../../ui/badge.tsx'
import { LazyMarkdown } from '../../ui/lazy-markdown.tsx'
import type { ShownImages } from '../../ui/markdown/picture.tsx'
import { PartNotLoaded } from '../../ui/states.tsx'
import { CardPart as Part } from './card-part.tsx'
import { typeOf } from './card-types.ts'
import { Cites } from './cites/cites.tsx'
import { EvidenceList } from './evidence-list.tsx'
import { ImageList } from './images/image-list.tsx'
import { useCardImages } from './images/use-card-images.ts'

/** What the author wrote, part by part; parts that the card does not have are left out. */
export function CardContent({ card }: { card: Card }) {
  const words = typeOf(card.card_type)
  const { shown, others, query } = useCardImages(card)
  return (
    <>
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
      <PartNotLoaded what="The pictures" query={query} />
      {others.length > 0 && (
        <Part title="Pictures">
          <ImageList images={others} />
        </Part>
      )}
      <Environment entries={Object.entries(card.environment ?? {})} />
      <Cites card={card} />
      {card.scope_notes && (
        <Part title="Where it applies">
          <LazyMarkdown images={shown}>{card.scope_notes}</LazyMarkdown>
        </Part>
      )}
      <TagLinks card={card} />
    </>
  )
}

function Environment({ entries }: { entries: [name: string, value: string][] }) {
  if (entries.length === 0) return null
  return (
    <Part title="Environment">
      <dl className="flex flex-wrap gap-2">
        {entries.map(([name, value]) => (
          <div
            key={name}
            className="flex max-w-full flex-wrap items-center gap-x-1.5 rounded-sm bg-sunken px-2 py-1 font-mono text-xs"
          >
            <dt className="max-w-full text-faint">{name}</dt>
            <dd className="max-w-full truncate">{value}</dd>
          </div>
        ))}
      </dl>
    </Part>
  )
}

/** Other cards of the library are listed there for free; search would look in one's own cards and ask for credits. */
const sameTag = ({ home }: Card, tag: string) =>
  home.kind === 'library'
    ? ({ to: '/library', search: { tag } } as const)
    : ({ to: '/', search: { q: tag, tags: tag } } as const)

function TagLinks({ card }: { card: Card }) {
  if (card.tags.length === 0) return null
  return (
    <ul aria-label="Tags" className="flex flex-wrap gap-1.5">
      {card.tags.map((tag) => (
        <li key={tag} className="max-w-full">
          <Link {...sameTag(card, tag)} className="block rounded-sm hover:bg-hover">
            <Tag>{tag}</Tag>
          </Link>
        </li>
      ))}
    </ul>
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
