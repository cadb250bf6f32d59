import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { MARKDOWN_FIELDS } from '#server/shared/card-fields.ts'
import { call, requestJson } from '../../api/client.ts'
import type { Card, CardImage, Evidence } from '../../api/types.ts'
import { randomId } from '../../lib/storage.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import type { ShownImages } from '../../ui/markdown/markdown.tsx'
import * as strings from './strings.ts'

export function EvidenceList({
  evidences,
  sourceEventId,
}: {
  evidences: Evidence[]
  sourceEventId?: string | undefined
}) {
  return (
    <ul className="grid gap-3">
      {evidences.map((evidence, index) => (
        <li key={index} className="overflow-hidden rounded-md border border-line">
          <div className="flex items-center justify-between gap-2 border-b border-line bg-sunken py-0.5 pr-1 pl-3">
            <span className="truncate text-xs text-soft">
              <span className="font-mono">{evidence.kind}</span>
              {sourceEventId && evidence.kind === 'memory' && (
                <>
                  {' · '}
                  <Link
                    to="/memory/events/$rawId"
                    params={{ rawId: sourceEventId }}
                    className="underline hover:text-ink"
                  >
                    {strings.openTheExchange}
                  </Link>
                </>
              )}
              {evidence.from_card_id && (
                <>
                  {' · '}
                  <Link
                    to="/cards/$cardId"
                    params={{ cardId: evidence.from_card_id }}
                    className="underline hover:text-ink"
                  >
                    {strings.fromMergedCard}
                  </Link>
                </>
              )}
            </span>
            <CopyButton text={evidence.content} label={strings.copyEvidence(evidence.kind)} />
          </div>
          <pre
            tabIndex={0}
            className="max-h-72 overflow-auto px-3 py-2 font-mono text-xs leading-5 whitespace-pre-wrap wrap-break-word focus-visible:-outline-offset-2"
          >
            {evidence.content}
          </pre>
        </li>
      ))}
    </ul>
  )
}

type Props = { images: readonly CardImage[]; action?: (image: CardImage, name: string) => ReactNode }

export function ImageList({ images, action }: Props) {
  return (
    <ul className="flex flex-wrap gap-3">
      {images.map((image, index) => (
        <li key={image.image_id} className="flex items-start gap-1">
          <a href={image.url} target="_blank" rel="noopener noreferrer">
            <img
              src={image.url}
              alt={strings.pictureOf(index + 1, images.length)}
              width={image.width}
              height={image.height}
              loading="lazy"
              className="max-h-32 w-auto rounded-md border border-line"
            />
          </a>
          {action?.(image, `picture ${index + 1}`)}
        </li>
      ))}
    </ul>
  )
}

export const cardImagesQuery = (cardId: string) =>
  queryOptions({
    queryKey: ['card', cardId, 'images'],
    queryFn: ({ signal }) => call('GET /api/v1/cards/{card_id}/images', { card_id: cardId }, { signal }),
  })

/** Returns the pictures of a card, and those that none of its texts shows. */
export function useCardImages(card: Card) {
  const query = useQuery(cardImagesQuery(card.card_id))
  const { data } = query
  const images = useMemo((): { shown: ShownImages; others: CardImage[] } => {
    const items = data?.items ?? []
    const texts = [
      ...MARKDOWN_FIELDS.map((field) => card[field]),
      ...card.steps.map((step) => step.action),
    ].join('\n')
    return {
      shown: new Map(items.map((image) => [image.image_id, image])),
      others: items.filter((image) => !texts.includes(image.image_id)),
    }
  }, [data, card])
  return { ...images, query }
}

/** The key makes sure that a repeated request stores one picture only. */
export const uploadImage = (file: Blob): Promise<CardImage> =>
  requestJson('/api/v1/images', {
    method: 'POST',
    body: file,
    headers: { 'Content-Type': file.type || 'application/octet-stream', 'Idempotency-Key': randomId() },
  })
