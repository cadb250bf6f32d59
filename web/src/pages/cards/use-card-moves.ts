import { useMutation } from '@tanstack/react-query'
import { deleteCard, publishCard, shareCard, undeleteCard, unpublishCard } from '../../api/cards.ts'
import { queryClient } from '../../api/query.ts'
import type { Card } from '../../api/types.ts'
import { refreshMe } from '../../session.ts'
import { toast, toastError } from '../../ui/toast.tsx'
import { cardChanged, cardQuery, listsChanged } from './card-queries.ts'

/** Share and unpublish show at once and can be undone; publishing waits for the review. */
export function useCardMoves(card: Card) {
  const id = { card_id: card.card_id }
  const show = (status: Card['status']) =>
    queryClient.setQueryData(cardQuery(card.card_id).queryKey, (before) => before && { ...before, status })
  const failed = (error: unknown) => {
    void queryClient.invalidateQueries({ queryKey: ['card', card.card_id] })
    toastError(error)
  }

  const share = useMutation({
    mutationFn: () => shareCard(id),
    onMutate: () => show('published'),
    onError: failed,
    onSuccess: (next) => {
      cardChanged(next)
      toast('Shared. Your team can read and find it.', {
        undo: () => void unpublishCard(id).then(cardChanged, toastError),
      })
    },
  })
  const unpublish = useMutation({
    mutationFn: () => unpublishCard(id),
    onMutate: () => show('unpublished'),
    onError: failed,
    onSuccess: (next) => {
      cardChanged(next)
      const wasInLibrary = card.workspace_id !== next.workspace_id
      toast('Private again. Only you and the editors of its workspace can read it.', {
        undo: () => void (wasInLibrary ? publishCard(id) : shareCard(id)).then(cardChanged, toastError),
      })
    },
  })
  const publish = useMutation({
    mutationFn: () => publishCard(id),
    onSuccess: (next) => {
      cardChanged(next)
      void refreshMe()
    },
  })
  const remove = useMutation({
    mutationFn: () => deleteCard(id),
    onError: toastError,
    onSuccess: () => {
      queryClient.removeQueries({ queryKey: ['card', card.card_id] })
      listsChanged()
      toast('Deleted. It can be brought back for 30 days.', {
        undo: () => void undeleteCard(id).then(cardChanged, toastError),
      })
    },
  })
  return { share, unpublish, publish, remove }
}
