import { queryOptions } from '@tanstack/react-query'
import { ApiError, call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { Card } from '../../api/types.ts'

/** The texts of this file, which is part of the first load. */
const strings = {
  mergedIntoAnother: 'This card was merged into another.',
}

export const cardQuery = (cardId: string) =>
  queryOptions({
    queryKey: ['card', cardId],
    queryFn: ({ signal }) =>
      call('GET /api/v1/cards/{card_id}', { card_id: cardId, include_evidences: true }, { signal }),
  })

/** Shows the answer of a change at once; lists and searches ask again when they are shown. */
export function cardChanged(card: Card) {
  queryClient.setQueryData(cardQuery(card.card_id).queryKey, (before) => ({
    ...before,
    ...card,
    evidences: card.evidences ?? before?.evidences ?? [],
  }))
  void queryClient.invalidateQueries({ queryKey: ['card', card.card_id] })
  listsChanged()
}

export function listsChanged() {
  void queryClient.invalidateQueries({ queryKey: ['cards'] })
  void queryClient.invalidateQueries({
    queryKey: ['search'],
    refetchType: 'none',
    predicate: ({ queryKey }) => queryKey[1] !== 'library',
  })
}

/** The server orders by relation; the page shows the similarity, so it sorts by that. */
export const nearestFirst = <T extends { similarity: number }>(cards: readonly T[]): T[] =>
  cards.toSorted((a, b) => b.similarity - a.similarity)

const MERGED = 'merged_already'

export const isOutOfReach = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status === 403 || error.status === 404 || error.code === MERGED)

/** The refusal of the server for a change of a merged card. */
export const mergedInto = (cardId: string) =>
  new ApiError(409, { code: MERGED, detail: strings.mergedIntoAnother, into_card_id: cardId }, new Headers())

/** Without a workspace: the person's own cards. */
export const queueQuery = (workspaceId: string | undefined) =>
  queryOptions({
    queryKey: ['review-queue', workspaceId ?? 'mine'],
    queryFn: ({ signal }) =>
      call('GET /api/v1/cards/review-queue', { workspace_id: workspaceId }, { signal }),
  })
