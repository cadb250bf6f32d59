import { useMutation } from '@tanstack/react-query'
import { deleteCard, undeleteCard } from '../../api/cards.ts'
import { queryClient } from '../../api/query.ts'
import type { Card } from '../../api/types.ts'
import { toast, toastError } from '../../ui/toast.tsx'
import { cardChanged, listsChanged } from './card-queries.ts'

/** Deletes a card, and offers the way back. */
export function useRemoveCard({ card_id }: Card) {
  return useMutation({
    mutationFn: () => deleteCard({ card_id }),
    onError: toastError,
    onSuccess: () => {
      queryClient.removeQueries({ queryKey: ['card', card_id] })
      listsChanged()
      toast('Deleted. It can be brought back for 30 days.', {
        undo: () => void undeleteCard({ card_id }).then(cardChanged, toastError),
      })
    },
  })
}
