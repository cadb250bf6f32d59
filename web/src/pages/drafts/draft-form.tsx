import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { acceptDraft, type CardDraft } from '../../api/drafts.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Input, Textarea } from '../../ui/field.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { draftsChanged } from './draft-queries.ts'

const FIELDS = [
  ['symptom', 'Problem'],
  ['fix_summary', 'Fix'],
  ['root_cause', 'Cause (optional)'],
] as const

const takeFocus = (field: HTMLInputElement | null) => field?.focus()

/** Edits a draft and accepts it as a card. */
export function DraftForm({ draft, onCancel }: { draft: CardDraft; onCancel: () => void }) {
  const [words, setWords] = useState({
    title: draft.title,
    symptom: draft.symptom,
    fix_summary: draft.fix_summary,
    root_cause: draft.root_cause ?? '',
  })
  const accept = useMutation({
    mutationFn: () =>
      acceptDraft({ draft_id: draft.draft_id, ...words, root_cause: words.root_cause.trim() || null }),
    onSuccess: () => toast('Recorded as your card.'),
    onError: toastError,
    onSettled: draftsChanged,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    accept.mutate()
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
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
        <Button type="submit" look="primary" busy={accept.isPending}>
          Accept as a card
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  )
}
