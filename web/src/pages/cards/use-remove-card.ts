import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { deleteCard, undeleteCard } from '../../api/cards.ts'
import { ApiError } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { Card } from '../../api/types.ts'
import { NetworkError } from '../../lib/network-error.ts'
import { toast, toastError } from '../../ui/toast.tsx'
import { cardChanged, listsChanged } from './card-queries.ts'

/** Deletes a card, and offers the way back. A try whose answer was lost may have deleted it: then it is not there for the next. */
export function useRemoveCard({ card_id }: Card) {
  const isLost = useRef(false)
  return useMutation({
    mutationFn: () =>
      deleteCard({ card_id }).catch((error: unknown) => {
        if (isLost.current && error instanceof ApiError && error.status === 404) return
        isLost.current = error instanceof NetworkError
        throw error
      }),
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
