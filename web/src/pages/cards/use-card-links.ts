import { queryOptions, useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { Card, CardLink } from '../../api/types.ts'
import { toast, toastError } from '../../ui/toast.tsx'
import { listsChanged } from './card-queries.ts'
import * as strings from './strings.ts'

export const linksQuery = (cardId: string) =>
  queryOptions({
    queryKey: ['card', cardId, 'links'],
    queryFn: ({ signal }) => call('GET /api/v1/cards/{card_id}/links', { card_id: cardId }, { signal }),
  })

/** A link or merge changes the other card too. */
function cardsChanged() {
  listsChanged()
  return queryClient.invalidateQueries({ queryKey: ['card'] })
}

export type NewLink = { fromId: string; toId: string; kind: CardLink['kind']; why: string | null }

const link = ({ fromId, toId, kind, why }: NewLink) =>
  call('POST /api/v1/cards/{card_id}/links', { card_id: fromId, to_card_id: toId, kind, why })

export function useLinking(cardId: string) {
  const unlink = async (linkId: string) => {
    await call('DELETE /api/v1/cards/{card_id}/links/{link_id}', { card_id: cardId, link_id: linkId })
    await cardsChanged()
  }
  const add = useMutation({
    mutationFn: link,
    onSuccess: ({ link_id }) => {
      toast(strings.linked, { undo: () => void unlink(link_id).catch(toastError) })
      return cardsChanged()
    },
  })
  const remove = useMutation({
    mutationFn: (former: CardLink) => unlink(former.link_id),
    onError: toastError,
    onSuccess: (_, { from_card_id: fromId, to_card_id: toId, kind, why }) =>
      toast(strings.linkTakenBack, {
        undo: () => void link({ fromId, toId, kind, why }).then(cardsChanged, toastError),
      }),
  })
  return { add, remove }
}

export function useUnmerge() {
  const navigate = useNavigate()
  return async (cardId: string, isHere = false) => {
    await call('DELETE /api/v1/cards/{card_id}/merge', { card_id: cardId })
    if (!isHere) queryClient.removeQueries({ queryKey: ['card', cardId] })
    if (!isHere) await navigate({ to: '/cards/$cardId', params: { cardId } })
    await cardsChanged()
    toast(strings.mergeUndone)
  }
}

export function useMerge(card: Card) {
  const navigate = useNavigate()
  const unmerge = useUnmerge()
  return useMutation({
    mutationFn: (input: { into_card_id: string; why: string | null }) =>
      call('POST /api/v1/cards/{card_id}/merge', { card_id: card.card_id, ...input }),
    onSuccess: async ({ into_card_id }) => {
      toast(strings.mergedNotice, {
        undo: () => void unmerge(card.card_id).catch(toastError),
      })
      await navigate({
        to: '/cards/$cardId',
        params: { cardId: into_card_id },
        search: { merged_from: card.card_id },
      })
      await cardsChanged()
    },
  })
}
