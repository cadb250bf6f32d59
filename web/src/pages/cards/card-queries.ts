import { queryOptions } from '@tanstack/react-query'
import { getCard } from '../../api/cards.ts'
import { queryClient } from '../../api/query.ts'
import type { Card } from '../../api/types.ts'

export const cardQuery = (cardId: string) =>
  queryOptions({
    queryKey: ['card', cardId],
    queryFn: ({ signal }) => getCard({ card_id: cardId, include_evidences: true }, { signal }),
  })

/** Call it after a card changed: its page shows the answer at once; lists and searches ask again when they are shown. */
export function cardChanged(card: Card) {
  queryClient.setQueryData(cardQuery(card.card_id).queryKey, (before) => ({
    ...before,
    ...card,
    evidences: card.evidences ?? before?.evidences ?? [],
  }))
  void queryClient.invalidateQueries({ queryKey: ['card', card.card_id] })
  listsChanged()
}

/** Lists ask again, and so do free searches when they are shown. */
export function listsChanged() {
  void queryClient.invalidateQueries({ queryKey: ['cards'] })
  void queryClient.invalidateQueries({
    queryKey: ['search'],
    refetchType: 'none',
    predicate: ({ queryKey }) => queryKey[1] !== 'library',
  })
}
