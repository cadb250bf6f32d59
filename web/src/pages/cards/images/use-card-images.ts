import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type CardImage, listCardImages } from '../../../api/images.ts'
import type { Card } from '../../../api/types.ts'
import type { ShownImages } from '../../../ui/markdown/picture.tsx'

export const cardImagesQuery = (cardId: string) =>
  queryOptions({
    queryKey: ['card', cardId, 'images'],
    queryFn: ({ signal }) => listCardImages({ card_id: cardId }, { signal }),
  })

/** The pictures of a card, and those among them that none of its texts shows. */
export function useCardImages(card: Card) {
  const query = useQuery(cardImagesQuery(card.card_id))
  const { data } = query
  const images = useMemo((): { shown: ShownImages; others: CardImage[] } => {
    const items = data?.items ?? []
    const texts = [
      card.symptom,
      card.fix_summary,
      card.root_cause,
      card.body,
      card.scope_notes,
      ...card.steps.map((step) => step.action),
    ].join('\n')
    return {
      shown: new Map(items.map((image) => [image.image_id, image])),
      others: items.filter((image) => !texts.includes(image.image_id)),
    }
  }, [data, card])
  return { ...images, query }
}
