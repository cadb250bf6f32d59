import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { acceptDraft, type CardDraft } from '../../api/drafts.ts'
import { useKeptText } from '../../lib/use-kept-text.ts'
import { useMe } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Input, Textarea } from '../../ui/field.tsx'
import { Notice } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { AsNewCard } from '../cards/as-new-card.tsx'
import { emptyDraft } from '../cards/draft.ts'
import { draftsChanged } from './draft-queries.ts'

const FIELDS = [
  ['symptom', 'Problem'],
  ['fix_summary', 'Fix'],
  ['root_cause', 'Cause (optional)'],
] as const

const takeFocus = (field: HTMLInputElement | null) => field?.focus()

type Words = Record<'title' | (typeof FIELDS)[number][0], string>

/** The words of a draft as they are edited; the browser keeps them until the draft is accepted or the edit dropped. */
function useWords(draft: CardDraft) {
  const { user_id } = useMe()
  const start: Words = {
    title: draft.title,
    symptom: draft.symptom,
    fix_summary: draft.fix_summary,
    root_cause: draft.root_cause ?? '',
  }
  const { text, change, isRestored } = useKeptText(
    `kv-mined:${user_id}:${draft.draft_id}`,
    JSON.stringify(start),
  )
  const setWords = (next: Words) => change(JSON.stringify(next))
  return { words: JSON.parse(text) as Words, setWords, isRestored, drop: () => setWords(start) }
}

type Props = {
  draft: CardDraft
  /** It was decided about elsewhere, or its time is over. */
  isGone: boolean
  /** It is a card now, so the list may leave it out. */
  onAccepted: () => void
  onCancel: () => void
}

/** Edits a draft and accepts it as a card. */
export function DraftForm({ draft, isGone, onAccepted, onCancel }: Props) {
  const { words, setWords, isRestored, drop } = useWords(draft)
  const accept = useMutation({
    mutationFn: () =>
      acceptDraft({ draft_id: draft.draft_id, ...words, root_cause: words.root_cause.trim() || null }),
    onSuccess: () => {
      drop()
      onAccepted()
      toast('Recorded as your card.')
    },
    onError: toastError,
    onSettled: draftsChanged,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // Enter in the title sends a form that has no button for it too.
    if (isGone) return
    accept.mutate()
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      {isRestored && <Notice>What you wrote before is back. Cancel drops it.</Notice>}
      {isGone && (
        <>
          <Notice>This draft was accepted or dismissed elsewhere, or is older than 30 days.</Notice>
          <AsNewCard cardId={draft.draft_id} draft={{ ...emptyDraft(), ...words }} onMoved={drop} />
        </>
      )}
      <Field label="Title">
        {(props) => (
          <Input
            {...props}
            // The button that opened the form is gone, and the focus with it.
            ref={takeFocus}
            required
            value={words.title}
            onChange={(event) => setWords({ ...words, title: event.target.value })}
          />
        )}
      </Field>
      {FIELDS.map(([name, label]) => (
        <Field key={name} label={label}>
          {(props) => (
            <Textarea
              {...props}
              required={name !== 'root_cause'}
              value={words[name]}
              onChange={(event) => setWords({ ...words, [name]: event.target.value })}
            />
          )}
        </Field>
      ))}
      <div className="flex flex-wrap gap-2">
        {!isGone && (
          <Button type="submit" look="primary" busy={accept.isPending}>
            Accept as a card
          </Button>
        )}
        <Button
          onClick={() => {
            drop()
            onCancel()
          }}
        >
          Cancel
        </Button>
      </div>
    </form>
  )
}
