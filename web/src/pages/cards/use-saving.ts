import { useIsMutating } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { Card } from '../../api/types.ts'
import { useMe } from '../../session.ts'
import { toast, toastError } from '../../ui/toast.tsx'
import { cardChanged } from './card-queries.ts'
import type { Draft } from './draft.ts'
import { keepRest } from './use-draft.ts'

type Finish = (card: Card, sent: Draft) => unknown

/** How the editors that are open go on after a save, by person and draft. */
const editors = new Map<string, Finish>()

/**
 * The save of a draft, which may end after its editor was left. If an editor of the same draft is open by then, that one
 * goes on. Any other page stays, and a notice leads to the card. A failure shows in the editor that sent it, and else in
 * a notice.
 */
export function useSaving(cardKey: string, finish: Finish) {
  const { user_id } = useMe()
  const navigate = useNavigate()
  const mutationKey = ['save-card', user_id, cardKey]
  const editor = mutationKey.join(' ')
  const isOpen = useRef(false)
  useEffect(() => {
    isOpen.current = true
    editors.set(editor, finish)
    return () => {
      isOpen.current = false
      editors.delete(editor)
    }
  })
  const onSuccess: Finish = (card, sent) => {
    cardChanged(card)
    const goOn = editors.get(editor)
    if (goOn) return goOn(card, sent)
    const to = keepRest(user_id, cardKey, card, sent) ? '/cards/$cardId/edit' : '/cards/$cardId'
    const open = () => void navigate({ to, params: { cardId: card.card_id } })
    toast(`Saved: ${card.title}`, { action: { label: 'Open', run: open } })
  }
  const onError = (error: unknown) => {
    if (!isOpen.current) toastError(error)
  }
  return { isSaving: useIsMutating({ mutationKey }) > 0, saving: { mutationKey, onSuccess, onError } }
}
