import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import type { Card, OwnMatter } from '../../api/types.ts'
import { formatDay } from '../../lib/format.ts'
import { useKeptText } from '../../lib/storage.ts'
import { useMe } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextareaField } from '../../ui/field.tsx'
import { Notice, PartNotLoaded } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { stateWords } from '../moderation/matter-words.tsx'
import { moderationChanged, ownModerationQuery } from '../moderation/moderation-queries.ts'
import { isOfTeamAlone, reasonsFor } from './card-notices.tsx'
import { isReadByOwnerAlone } from './readers.tsx'
import { refusedLine, rulesOf } from './refusals.ts'
import * as strings from './strings.ts'

/** Says what the last review asks for, in the words of the form. */
export function RefusedNotice({ card }: { card: Card }) {
  // Whoever keeps a card to themselves needs no word about publishing, unless a moderator can help.
  if (isReadByOwnerAlone(card) && !isBlocked(card)) return null
  const lines = rulesOf(reasonsFor(card), card.card_type).map(refusedLine)
  return (
    <Notice tone="warn">
      <p className="font-medium">
        {isOfTeamAlone(card)
          ? strings.sharedWithFinding
          : card.status === 'published'
            ? strings.publishedWithFinding
            : strings.reviewRefused}
      </p>
      <ul className="mt-1 list-disc pl-4">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <AskModerators card={card} />
    </Notice>
  )
}

function standing(last: OwnMatter | undefined): string {
  if (!last) return ''
  if (last.status === 'appealed') return strings.appealIsOpen
  if (last.status === 'open') return strings.reportedAndHidden
  return strings.moderatorDecided(last.reason ?? '')
}

export function Hidden({ card, since }: { card: Card; since: string }) {
  const query = useQuery(ownModerationQuery(card.card_id))
  const [appealing, setAppealing] = useState(false)
  const last = query.data?.matters[0]
  return (
    <>
      <Notice
        tone="warn"
        action={
          last?.can_appeal && <Button onClick={() => setAppealing(true)}>{strings.appealPending}</Button>
        }
      >
        <p className="font-medium">{strings.hiddenSince(formatDay(since))}</p>
        <p className="wrap-break-word">
          {standing(last)} {last?.ban_publisher && strings.bannedToo}
        </p>
      </Notice>
      <PartNotLoaded what={strings.whatModeratorsSaid} query={query} />
      {appealing && last && <AppealDialog one={last} onClose={() => setAppealing(false)} />}
    </>
  )
}

function AppealDialog({ one, onClose }: { one: OwnMatter; onClose: () => void }) {
  const keptAs = `kv-reason:${useMe().user_id}:appeal:${one.matter_id}`
  const { text: note, change: setNote, dropSent } = useKeptText(keptAs, '')
  const send = useMutation({
    mutationFn: () =>
      call('POST /api/v1/moderation/matters/{matter_id}/appeal', { matter_id: one.matter_id, note }),
    onSuccess: () => {
      dropSent(note)
      toast(strings.appealSent)
      onClose()
    },
    onSettled: moderationChanged,
  })
  return (
    <FormDialog
      title={strings.appeal}
      description={strings.appealLead}
      action={strings.sendTheAppeal}
      ready={note.trim().length >= 3}
      busy={send.isPending}
      error={send.error}
      onSubmit={() => send.mutate()}
      onClose={onClose}
    >
      <TextareaField
        label={strings.appealQuestion}
        required
        maxLength={2000}
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
    </FormDialog>
  )
}

/** Offers a question to the moderators about a card that the review refused. */
function AskModerators({ card }: { card: Card }) {
  const me = useMe()
  return isBlocked(card) && card.owner_id === me.user_id ? <Ask card={card} /> : null
}

const isBlocked = ({ status, review }: Card): boolean =>
  status === 'unpublished' &&
  review.status === 'rejected' &&
  review.reasons.some(({ severity }) => severity === 'block')

function Ask({ card }: { card: Card }) {
  const { data } = useQuery(ownModerationQuery(card.card_id))
  const ask = useMutation({
    mutationFn: () => call('POST /api/v1/cards/{card_id}/ask-moderators', { card_id: card.card_id }),
    onSuccess: () => toast(strings.moderatorWillLook),
    onError: toastError,
    onSettled: moderationChanged,
  })
  const last = data?.matters[0]
  if (last && last.card_version === card.version)
    return (
      <p className="mt-1">
        {strings.moderatorsDecided(stateWords(last).toLowerCase())}
        {last.reason}
      </p>
    )
  return (
    <Button size="sm" className="mt-2" busy={ask.isPending} onClick={() => ask.mutate()}>
      {strings.askModerator}
    </Button>
  )
}
