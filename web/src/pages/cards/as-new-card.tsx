import { Link, useNavigate } from '@tanstack/react-router'
import type { ApiError } from '../../api/client.ts'
import { useMe } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/states.tsx'
import { toastError } from '../../ui/toast.tsx'
import type { Draft } from './draft.ts'
import { draftOfCard, moveToNewCard } from './use-draft.ts'

function reasonOf({ status, code, message }: ApiError): string {
  if (status === 404) return 'This card was deleted, or it is no longer shared with you.'
  return code === 'merged_already' ? 'This card was merged into another.' : message
}

type Props = { cardId: string; draft: Draft; why?: ApiError; onMoved?: () => void }

/** For text that can no longer be saved where it was meant to be: it goes on as a new card of its writer. */
export function AsNewCard({ cardId, draft, why, onMoved }: Props) {
  const { user_id } = useMe()
  const navigate = useNavigate()
  const into = why?.extra.into_card_id
  const move = () => {
    const moved = moveToNewCard(user_id, cardId, draft)
    if (!moved)
      return toastError(new Error('This browser stores nothing. Copy your text before you leave the page.'))
    onMoved?.()
    void navigate({ to: '/cards/new', search: { draft: moved } })
  }
  return (
    <Notice
      tone="warn"
      action={
        <Button size="sm" onClick={move}>
          Save as a new card of mine
        </Button>
      }
    >
      {why ? `${reasonOf(why)} Your text is still here.` : 'You have written text for it that is not saved.'}
      {typeof into === 'string' && (
        <>
          {' '}
          <Link
            to="/cards/$cardId"
            params={{ cardId: into }}
            search={{ merged_from: cardId }}
            className="font-medium underline"
          >
            Read the other card
          </Link>
        </>
      )}
    </Notice>
  )
}

/** What was written for a card that cannot be edited now, if anything was. */
export function KeptText({ cardId }: { cardId: string }) {
  const { user_id } = useMe()
  const draft = draftOfCard(user_id, cardId)
  return (
    draft && (
      <div className="mx-auto max-w-form px-4 pb-6">
        <AsNewCard cardId={cardId} draft={draft} />
      </div>
    )
  )
}
