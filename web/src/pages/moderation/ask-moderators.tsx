import { useMutation, useQuery } from '@tanstack/react-query'
import { askForLook } from '../../api/moderation.ts'
import type { Card } from '../../api/types.ts'
import { useMe } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { moderationChanged, ownModerationQuery } from './moderation-queries.ts'
import { stateWords } from './words.ts'

/** Shown when the review refused one's own card as dangerous. Moderators may decide otherwise. */
export function AskModerators({ card }: { card: Card }) {
  const me = useMe()
  const isBlocked =
    card.status === 'unpublished' &&
    card.review.status === 'rejected' &&
    card.review.reasons.some(({ severity }) => severity === 'block')
  return isBlocked && card.owner_id === me.user_id ? <Ask card={card} /> : null
}

function Ask({ card }: { card: Card }) {
  const { data } = useQuery(ownModerationQuery(card.card_id))
  const ask = useMutation({
    mutationFn: () => askForLook({ card_id: card.card_id }),
    onSuccess: () => toast('A moderator of the library will look at it.'),
    onError: toastError,
    onSettled: moderationChanged,
  })
  const last = data?.matters[0]
  if (last && last.card_version === card.version)
    return (
      <p className="mt-1">
        Moderators: {stateWords(last).toLowerCase()}. {last.reason}
      </p>
    )
  return (
    <Button size="sm" className="mt-2" busy={ask.isPending} onClick={() => ask.mutate()}>
      Ask a moderator to look
    </Button>
  )
}
