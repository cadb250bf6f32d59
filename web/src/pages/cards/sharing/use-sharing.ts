import { useMutation } from '@tanstack/react-query'
import { queryClient } from '../../../api/query.ts'
import type { Card } from '../../../api/types.ts'
import { credits, plural } from '../../../lib/format.ts'
import { refreshMe, useMe } from '../../../session.ts'
import { toast, toastError } from '../../../ui/toast.tsx'
import { cardChanged, listsChanged } from '../card-queries.ts'
import { applyTarget, type Shareable, type Target, undoTarget } from './sharing.ts'

export type Refusal = { card: Shareable; error: unknown }
type Outcome = { done: { before: Shareable; after: Card }[]; refused: Refusal[] }

/** One card after the other, so that a refusal is shown beside what was already done. */
async function shareAll(cards: readonly Shareable[], target: Target, personalId: string): Promise<Outcome> {
  const outcome: Outcome = { done: [], refused: [] }
  for (const card of cards) {
    try {
      const after = await applyTarget(card, target, personalId)
      cardChanged(after)
      outcome.done.push({ before: card, after })
    } catch (error) {
      void queryClient.invalidateQueries({ queryKey: ['card', card.card_id] })
      outcome.refused.push({ card, error })
    }
  }
  listsChanged()
  void refreshMe()
  return outcome
}

async function undoAll({ done }: Outcome): Promise<void> {
  for (const { before, after } of done) {
    try {
      await undoTarget(before, after)
    } catch (error) {
      toastError(error)
    }
    void queryClient.invalidateQueries({ queryKey: ['card', before.card_id] })
  }
  listsChanged()
}

/** What happened, with the sentence of the server on who reads it now. */
function told({ done }: Outcome, target: Target): string {
  const [first] = done
  if (!first) return ''
  const earned = done.reduce((sum, { after }) => sum + (after.credits_earned ?? 0), 0)
  const reward = earned > 0 ? ` You earned ${credits(earned)}.` : ''
  const who = first.after.readers.text
  if (target.kind === 'library')
    return `${done.length === 1 ? 'Published' : `${plural(done.length, 'card')} published`} to the library.${reward}`
  return done.length === 1 ? `Who can read it now: ${who}.` : `${plural(done.length, 'card')}: ${who}.`
}

/** Shares one card or many; what worked can be undone together. */
export function useSharing(onDone: (refused: Refusal[]) => void) {
  const { personal_workspace_id, user_id } = useMe()
  return useMutation({
    mutationFn: ({ cards, target }: { cards: readonly Shareable[]; target: Target }) =>
      shareAll(cards, target, personal_workspace_id),
    onSuccess: (outcome, { target }) => {
      // Only its owner may take a card back.
      const mayUndo = outcome.done.every(({ before }) => before.owner_id === user_id)
      if (outcome.done.length > 0)
        toast(told(outcome, target), mayUndo ? { undo: () => void undoAll(outcome) } : {})
      onDone(outcome.refused)
    },
  })
}
