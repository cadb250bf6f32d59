import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { decideMatter, type WholeMatter } from '../../api/moderation.ts'
import { useKeptText } from '../../lib/use-kept-text.ts'
import { useMe } from '../../session.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { Checkbox, TextareaField } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import { moderationChanged } from './moderation-queries.ts'
import { DECISIONS, type Decision, DRAFT_DECISIONS } from './words.ts'

/** One decision with its reason. If somebody else decided meanwhile, the refusal says what, and the page shows it. */
export function DecideDialog({ one, onClose }: { one: WholeMatter; onClose: () => void }) {
  const name = useId()
  // As it was read: the page is read again under the dialog, and what another has decided meanwhile would be overruled unseen.
  const [revision, setRevision] = useState(one.revision)
  const [decision, setDecision] = useState<Decision | null>(null)
  const [bans, setBans] = useState(one.ban_publisher)
  const keptAs = `kv-reason:${useMe().user_id}:decision:${one.matter_id}`
  const { text: reason, change: setReason, dropSent } = useKeptText(keptAs, '')
  const send = useMutation({
    mutationFn: () =>
      decideMatter({
        matter_id: one.matter_id,
        revision,
        decision: decision ?? 'keep',
        reason,
        ban_publisher: bans && decision !== 'keep',
      }),
    onSuccess: () => {
      dropSent(reason)
      toast('Decided. The owner has been told.')
      onClose()
    },
    onError: (error) => {
      // The refusal tells it.
      if (error instanceof ApiError && error.code === 'matter_changed')
        setRevision(Number(error.extra.revision))
    },
    onSettled: moderationChanged,
  })
  const choices = one.cause === 'blocked' ? DRAFT_DECISIONS : DECISIONS
  return (
    <FormDialog
      title={one.status === 'appealed' ? 'Decide about the appeal' : 'Decide about this card'}
      description="The owner sees your reason, but not your name. They can appeal once."
      action="Decide"
      ready={decision !== null && reason.trim().length >= 3}
      busy={send.isPending}
      error={send.error}
      onSubmit={() => send.mutate()}
      onClose={onClose}
    >
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-sm font-medium">Decision</legend>
        {Object.entries(choices).map(([value, { label, hint }]) => (
          <label key={value} className="flex items-start gap-2 text-sm">
            <input
              type="radio"
              name={name}
              className="mt-0.5 size-4 shrink-0 accent-accent"
              checked={decision === value}
              onChange={() => setDecision(value as Decision)}
            />
            <span>
              {label}
              <span className="block text-xs text-faint">{hint}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Checkbox
        label="Ban the publisher from publishing"
        hint="They cannot publish anything new for strangers until a moderator lifts the ban."
        checked={bans && decision !== 'keep'}
        disabled={decision === 'keep'}
        onChange={(event) => setBans(event.target.checked)}
      />
      <TextareaField
        label="Reason"
        hint="Why you decide so, in a sentence or two."
        required
        maxLength={2000}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </FormDialog>
  )
}
