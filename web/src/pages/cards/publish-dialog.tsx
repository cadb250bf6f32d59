import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { creditsPolicy } from '../../api/account.ts'
import { ApiError } from '../../api/client.ts'
import type { Card } from '../../api/types.ts'
import { credits } from '../../lib/format.ts'
import { configQuery, useMe } from '../../session.ts'
import { LinkButton } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { FormError, Notice } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { ReviewChecklist } from './review-checklist.tsx'
import { useCardMoves } from './use-card-moves.ts'

/** Says who will read it, what it earns and what still stands in the way. */
export function PublishDialog({ card, onClose }: { card: Card; onClose: () => void }) {
  const me = useMe()
  const { data: config } = useQuery(configQuery)
  const { data: policy } = useQuery({
    queryKey: ['credits-policy'],
    queryFn: () => creditsPolicy(),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { publish } = useCardMoves(card)
  const reward = config?.credits && !card.published_at ? (policy?.publish_reward_credits ?? 0) : 0
  const run = () =>
    publish.mutate(undefined, {
      onSuccess: (next) => {
        const earned = next.credits_earned ?? 0
        toast(`Published to the library.${earned > 0 ? ` You earned ${credits(earned)}.` : ''}`)
        onClose()
      },
    })
  return (
    <FormDialog
      onClose={onClose}
      title="Publish to the library"
      description={`Everybody can find and read it, with your name (${me.display_name || 'no name set'}). You can take it back at any time.`}
      action={`Publish${reward > 0 ? ` · earn ${reward}` : ''}`}
      busy={publish.isPending}
      onSubmit={run}
      wayOut={
        <LinkButton to="/cards/$cardId/edit" params={{ cardId: card.card_id }}>
          Edit first
        </LinkButton>
      }
    >
      <ReviewChecklist content={card} evidences={card.evidences ?? []} evidenceCount={card.evidence_count} />
      <PublishFailure error={publish.error} />
    </FormDialog>
  )
}

function PublishFailure({ error }: { error: unknown }) {
  if (!(error instanceof ApiError)) return <FormError error={error} />
  if (error.code === 'duplicate_card')
    return (
      <Notice tone="bad">
        The library has this already.{' '}
        <Link to="/cards/$cardId" params={{ cardId: String(error.extra.duplicate_of) }} className="underline">
          Open that card
        </Link>
        . Nothing was charged.
      </Notice>
    )
  const reasons =
    error.code === 'quality_rejected' ? (error.extra.reasons as { rule: string; message: string }[]) : []
  return (
    <Notice tone="bad">
      <p>{error.message}</p>
      {reasons.length > 0 && (
        <ul className="mt-1 list-disc pl-4">
          {reasons.map((reason) => (
            <li key={reason.rule + reason.message}>{reason.message}</li>
          ))}
        </ul>
      )}
    </Notice>
  )
}
