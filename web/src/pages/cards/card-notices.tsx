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

/** Shows the problems of the last review. */
export function ReviewNote({ card }: { card: Card }) {
  if (card.review.status !== 'rejected') return <ReaderNote card={card} />
  return (
    <Notice tone="warn">
      <p className="font-medium">
        {card.status === 'published'
          ? 'Published, but its last review found something.'
          : 'The last review refused it.'}
      </p>
      <ul className="mt-1 list-disc pl-4">
        {card.review.reasons.map((reason) => (
          <li key={reason.rule + reason.message}>{reason.message}</li>
        ))}
      </ul>
      <AskModerators card={card} />
    </Notice>
  )
}

const RULES: Record<string, string> = {
  agent_instruction: 'sentences that speak to agents',
  role_tag: 'marks of a conversation with an agent',
  tool_call: 'text in the form of a tool call',
  hidden_text: 'text that is easily overlooked',
  remote_code: 'commands that execute what they download',
  destruction: 'commands that delete or overwrite',
  exfiltration: 'commands that send data elsewhere',
  weakened_check: 'a check that is switched off',
  new_trust: 'a new key, registry or certificate to trust',
  download_host: 'downloads from a host that is not well known',
  lookalike_package: 'a package whose name is close to a well-known one',
  personal_data: 'an address, phone number or home folder',
}

function ReaderNote({ card }: { card: Card }) {
  const me = useMe()
  if (card.owner_id === me.user_id) return null
  const warned = card.review.reasons.filter(({ severity }) => severity === 'warn' || severity === 'block')
  const rules = [...new Set(warned.map(({ rule }) => rule))]
  const speaks = card.provenance.contains_instructions === true
  if (rules.length === 0 && !speaks) return null
  return (
    <Notice>
      <p>Look twice before you, or an agent of yours, follow this card. The review marks:</p>
      <ul className="mt-1 list-disc pl-4">
        {speaks && rules.every((rule) => !SPEAKS.has(rule)) && <li>{RULES.agent_instruction}</li>}
        {rules.map((rule) => (
          <li key={rule}>
            {RULES[rule] ?? rule} <span className="font-mono text-xs text-faint">{rule}</span>
          </li>
        ))}
        {card.provenance.contains_instructions_note && (
          <li>
            {RULES.agent_instruction}: {card.provenance.contains_instructions_note}
          </li>
        )}
      </ul>
    </Notice>
  )
}

const SPEAKS = new Set(['agent_instruction', 'role_tag', 'tool_call'])

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
    mutationFn: () =>
      call('POST /api/v1/moderation/matters/{matter_id}/appeal', { matter_id: one.matter_id, note }),
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

/** Offers a question to the moderators about a card that the review refused. */
function AskModerators({ card }: { card: Card }) {
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
    mutationFn: () => call('POST /api/v1/cards/{card_id}/ask-moderators', { card_id: card.card_id }),
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
