import { Link } from '@tanstack/react-router'
import { FileCode, Link as LinkIcon, Package, Pencil } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { readCite } from '#server/shared/cites.ts'
import type { Card } from '../../api/types.ts'
import { formatTime } from '../../lib/format.ts'
import { Tag } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { LazyMarkdown } from '../../ui/lazy.tsx'
import type { ShownImages } from '../../ui/markdown/markdown.tsx'
import { PartNotLoaded } from '../../ui/states.tsx'
import { EvidenceList, ImageList, useCardImages } from './attachments.tsx'
import { firstTexts } from './card-badges.tsx'
import { CitesDialog } from './lazy-parts.tsx'
import * as strings from './strings.ts'

export function CardContent({ card }: { card: Card }) {
  const { shown, others, query } = useCardImages(card)
  const { cites, tags } = factsOnce(card)
  return (
    <>
      {firstTexts(card.card_type).map(
        ({ field, label }) =>
          card[field] && (
            <CardPart key={field} title={label} strong={field === 'fix_summary'}>
              <LazyMarkdown images={shown}>{card[field]}</LazyMarkdown>
            </CardPart>
          ),
      )}
      {card.steps.length > 0 && (
        <CardPart title={strings.steps}>
          <Steps steps={card.steps} images={shown} />
        </CardPart>
      )}
      {card.body && (
        <CardPart title={strings.notes}>
          <LazyMarkdown images={shown}>{card.body}</LazyMarkdown>
        </CardPart>
      )}
      {card.evidences && card.evidences.length > 0 && (
        <CardPart title={strings.evidence}>
          <EvidenceList evidences={card.evidences} sourceEventId={card.source_event_id} />
        </CardPart>
      )}
      <PartNotLoaded what={strings.thePictures} query={query} />
      {others.length > 0 && (
        <CardPart title={strings.pictures}>
          <ImageList images={others} />
        </CardPart>
      )}
      <Environment
        entries={Object.entries(card.environment ?? {})}
        action={cites.length < 1 && <EditCites card={card} />}
      />
      <Cites card={card} shown={cites} />
      {card.scope_notes && (
        <CardPart title={strings.whereItApplies}>
          <LazyMarkdown images={shown}>{card.scope_notes}</LazyMarkdown>
        </CardPart>
      )}
      <TagLinks card={card} tags={tags} />
    </>
  )
}

/** Leaves out what the card says already: cites of its environment, and tags named in either. */
function factsOnce({ environment, cites, tags }: Card) {
  const told = new Map(Object.entries(environment ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
  const read = cites.map((text) => ({ text, cite: readCite(text) }))
  const nameOf = ({ cite }: (typeof read)[number]) =>
    cite && 'name' in cite ? cite.name.toLowerCase() : undefined
  const isTold = ({ cite }: (typeof read)[number]) =>
    cite && 'range' in cite && told.get(cite.name.toLowerCase()) === cite.range
  const names = new Set([...told.keys(), ...read.map(nameOf)])
  return {
    cites: read.filter((one) => !isTold(one)).map(({ text }) => text),
    tags: tags.filter((tag) => !names.has(tag.toLowerCase())),
  }
}

type EnvironmentProps = { entries: [name: string, value: string][]; action: ReactNode }

function Environment({ entries, action }: EnvironmentProps) {
  if (entries.length === 0) return null
  return (
    <CardPart title={strings.environment} action={action}>
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
    </CardPart>
  )
}

/** Other cards of the library are listed there for free. */
const sameTag = ({ home }: Card, tag: string) =>
  home.kind === 'library'
    ? ({ to: '/library', search: { tag } } as const)
    : ({ to: '/', search: { q: tag, tags: tag } } as const)

function TagLinks({ card, tags }: { card: Card; tags: readonly string[] }) {
  if (tags.length === 0) return null
  return (
    <ul aria-label={strings.tags} className="flex flex-wrap gap-1.5">
      {tags.map((tag) => (
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

type Props = { title: string; strong?: boolean; action?: ReactNode; children: ReactNode }

export const CardPart = ({ title, strong, action, children }: Props) => (
  <section className={strong ? 'border-l-2 border-ok pl-4' : undefined}>
    <div className="mb-1.5 flex items-center gap-2">
      <h3 className="text-xs font-medium text-faint">{title}</h3>
      {action}
    </div>
    {children}
  </section>
)

const LINK = 'underline hover:text-ink'

export function LicenceAndOrigin({ card }: { card: Card }) {
  const { publication, origin } = card
  if (!publication?.licence && !origin) return null
  const licence = publication?.licence ?? origin?.licence
  return (
    <CardPart title={strings.licenceAndOrigin}>
      <p className="text-sm text-soft wrap-break-word">
        {publication?.licence_url ? (
          <a href={publication.licence_url} target="_blank" rel="license noreferrer" className={LINK}>
            {licence}
          </a>
        ) : (
          licence
        )}
        {strings.byAuthor}
        {publication?.author ?? origin?.author}
        {publication && <>{strings.publishedAt(formatTime(publication.published_at))}</>}
      </p>
      {origin && (
        <p className="text-sm text-soft wrap-break-word">
          {strings.pulledFrom}
          <a href={origin.url} target="_blank" rel="nofollow noreferrer" className={LINK}>
            {origin.server}
          </a>
          {strings.pulledOrigin(
            origin.version,
            origin.changed_here ? ', changed here since' : '',
            card.owner_name,
          )}
        </p>
      )}
      <details className="mt-1 text-xs text-faint">
        <summary className="hover:text-ink">{strings.licenceDetails}</summary>
        <p className="flex min-w-0 items-center gap-1">
          <code className="truncate">
            {strings.sha256Before}
            {publication?.content_hash ?? origin?.content_hash}
          </code>
          <CopyButton
            text={publication?.content_hash ?? origin?.content_hash ?? ''}
            label={strings.copyTheHash}
          />
        </p>
      </details>
    </CardPart>
  )
}

function EditCites({ card }: { card: Card }) {
  const [editing, setEditing] = useState(false)
  if (!card.can_edit || card.cites.length === 0) return null
  return (
    <>
      <IconButton label={strings.editCites} onClick={() => setEditing(true)}>
        <Pencil size={12} />
      </IconButton>
      {editing && <CitesDialog card={card} onClose={() => setEditing(false)} />}
    </>
  )
}

function Cites({ card, shown }: { card: Card; shown: readonly string[] }) {
  if (shown.length === 0) return null
  return (
    <CardPart title={strings.cites} action={<EditCites card={card} />}>
      <ul aria-label={strings.cites} className="flex flex-wrap gap-2">
        {shown.map((text) => (
          <li key={text} className="max-w-full">
            <CiteChip text={text} />
          </li>
        ))}
      </ul>
    </CardPart>
  )
}

const CHIP = 'flex h-6 max-w-full items-center gap-1.5 rounded-sm bg-sunken px-2 font-mono text-xs'

function CiteChip({ text }: { text: string }) {
  const cite = readCite(text)
  if (cite?.kind === 'url')
    return (
      <a
        href={cite.url}
        target="_blank"
        rel="noreferrer"
        title={cite.url}
        className={`${CHIP} hover:bg-hover`}
      >
        <LinkIcon size={12} className="shrink-0 text-faint" aria-hidden />
        <span className="text-faint">{strings.page}</span>
        <span className="truncate underline">{cite.url.replace(/^https?:\/\//, '')}</span>
      </a>
    )
  if (cite?.kind === 'file')
    return (
      <span className={CHIP} title={text}>
        <FileCode size={12} className="shrink-0 text-faint" aria-hidden />
        <span className="text-faint">{strings.file}</span>
        <span className="truncate">
          {cite.path}@{cite.commit.slice(0, 7)}
        </span>
      </span>
    )
  return (
    <span className={CHIP} title={text}>
      <Package size={12} className="shrink-0 text-faint" aria-hidden />
      <span className="text-faint">{cite?.ecosystem ?? 'package'}</span>
      <span className="truncate">{cite ? `${cite.name}@${cite.range}` : text}</span>
    </span>
  )
}
