import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { appealDecision, type OwnMatter } from '../../api/moderation.ts'
import type { Card } from '../../api/types.ts'
import { formatDay } from '../../lib/format.ts'
import { useKeptText } from '../../lib/use-kept-text.ts'
import { useMe } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextareaField } from '../../ui/field.tsx'
import { Notice, PartNotLoaded } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { moderationChanged, ownModerationQuery } from './moderation-queries.ts'

/** Tells the owner of a hidden card since when it is hidden, why, and what they can do. */
export function HiddenNotice({ card }: { card: Card }) {
  return card.hidden_since === undefined ? null : <Shown card={card} since={card.hidden_since} />
}

function standing(last: OwnMatter | undefined): string {
  if (!last) return ''
  if (last.status === 'appealed') return 'You have appealed; a moderator will look again.'
  if (last.status === 'open') return 'People reported it. A moderator has not looked yet.'
  return `A moderator decided: ${last.reason ?? ''}`
}

function Shown({ card, since }: { card: Card; since: string }) {
  const query = useQuery(ownModerationQuery(card.card_id))
  const [appealing, setAppealing] = useState(false)
  const last = query.data?.matters[0]
  return (
    <>
      <Notice
        tone="warn"
        action={last?.can_appeal && <Button onClick={() => setAppealing(true)}>Appeal …</Button>}
      >
        <p className="font-medium">Hidden from everybody but you since {formatDay(since)}.</p>
        <p className="wrap-break-word">
          {standing(last)}{' '}
          {last?.ban_publisher && 'You are also banned from publishing. An appeal covers the ban too.'}
        </p>
      </Notice>
      <PartNotLoaded what="What moderators said" query={query} />
      {appealing && last && <AppealDialog one={last} onClose={() => setAppealing(false)} />}
    </>
  )
}

function AppealDialog({ one, onClose }: { one: OwnMatter; onClose: () => void }) {
  const keptAs = `kv-reason:${useMe().user_id}:appeal:${one.matter_id}`
  const { text: note, change: setNote, dropSent } = useKeptText(keptAs, '')
  const send = useMutation({
    mutationFn: () => appealDecision({ matter_id: one.matter_id, note }),
    onSuccess: () => {
      dropSent(note)
      toast('A moderator will look again.')
      onClose()
    },
    onSettled: moderationChanged,
  })
  return (
    <FormDialog
      title="Appeal"
      description="You can appeal once for each decision. Moderators see the card as it is now, so correct it first if needed."
      action="Send the appeal"
      ready={note.trim().length >= 3}
      busy={send.isPending}
      error={send.error}
      onSubmit={() => send.mutate()}
      onClose={onClose}
    >
      <TextareaField
        label="What should they know?"
        required
        maxLength={2000}
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
    </FormDialog>
  )
}
