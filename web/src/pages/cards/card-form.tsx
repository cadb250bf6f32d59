import { type ClipboardEvent, type ReactNode, useState } from 'react'
import type { Evidence } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { TextareaField, TextField } from '../../ui/field.tsx'
import { Notice } from '../../ui/states.tsx'
import { CARD_TYPES } from './card-types.ts'
import { DangerWarning } from './danger-warning.tsx'
import { type Draft, payloadOf } from './draft.ts'
import { EvidenceField } from './evidence-field.tsx'
import { ImagesField } from './images/images-field.tsx'
import { MarkdownField } from './markdown-field.tsx'
import { PairsField } from './pairs-field.tsx'
import { cutNote } from './paste/cut-note.ts'
import { insertText } from './paste/insert-text.ts'
import { pasteInto } from './paste/paste-into.ts'
import { SecretWarning } from './secret-warning.tsx'
import { StepsField } from './steps-field.tsx'

type Props = {
  draft: Draft
  change: (next: Partial<Draft>) => void
  fieldError: (name: string) => string | undefined
  stored?: Evidence[]
  /** The card that is edited; none while a new one is written. */
  cardId?: string
  workspace?: ReactNode
}

/** Every field of a card. Labels and hints follow its type; secrets are marked at their field. */
export function CardForm({ draft, change, fieldError, stored = [], cardId, workspace }: Props) {
  const words = CARD_TYPES[draft.card_type]
  return (
    <div className="grid gap-6">
      <TypeField value={draft.card_type} onChange={(card_type) => change({ card_type })} />
      {workspace}
      <TitleField draft={draft} change={change} fieldError={fieldError} />
      <MarkdownField
        label={words.symptom.label}
        hint={words.symptom.hint}
        required
        value={draft.symptom}
        onChange={(symptom) => change({ symptom })}
        error={fieldError('symptom')}
      />
      <MarkdownField
        label={words.fix.label}
        hint={words.fix.hint}
        required
        value={draft.fix_summary}
        onChange={(fix_summary) => change({ fix_summary })}
        error={fieldError('fix_summary')}
      />
      <MarkdownField
        label="Root cause"
        optional
        hint="Why it happened, once you know."
        value={draft.root_cause}
        onChange={(root_cause) => change({ root_cause })}
        error={fieldError('root_cause')}
      />
      <StepsField steps={draft.steps} onChange={(steps) => change({ steps })} error={fieldError('steps')} />
      <TextField
        label="Tags"
        aside="optional"
        value={draft.tags}
        onChange={(event) => change({ tags: event.target.value })}
        placeholder="postgres, pool, deploy"
        hint="Separated by commas."
        error={fieldError('tags')}
      />
      <PairsField
        pairs={draft.environment}
        onChange={(environment) => change({ environment })}
        error={fieldError('environment')}
      />
      <MarkdownField
        label="Notes"
        optional
        hint="The long version. Markdown, with code in fences."
        value={draft.body}
        onChange={(body) => change({ body })}
        error={fieldError('body')}
      />
      <EvidenceField
        stored={stored}
        added={draft.evidences}
        onChange={(evidences) => change({ evidences })}
        error={fieldError('evidences')}
      />
      {cardId !== undefined && <ImagesField cardId={cardId} />}
      {cardId !== undefined && (
        <TextareaField
          label="Where it applies"
          aside="optional"
          value={draft.scope_notes}
          onChange={(event) => change({ scope_notes: event.target.value })}
          hint="Versions or conditions under which this is true."
          error={fieldError('scope_notes')}
        />
      )}
      <PayloadField draft={draft} change={change} fieldError={fieldError} />
    </div>
  )
}

type FieldProps = Pick<Props, 'draft' | 'change' | 'fieldError'>

function PayloadField({ draft, change, fieldError }: FieldProps) {
  const payload = payloadOf(draft.payload)
  return (
    <details className="border-t border-line pt-4" open={draft.payload !== '' || undefined}>
      <summary className="text-sm text-soft hover:text-ink">Structured data for agents</summary>
      <TextareaField
        label="Payload"
        hint="A JSON object with what belongs to this type."
        className="mt-3 font-mono text-xs!"
        value={draft.payload}
        onChange={(event) => change({ payload: event.target.value })}
        error={'problem' in payload ? payload.problem : fieldError('card_payload')}
      />
    </details>
  )
}

const MAX_TITLE = 5000

function TitleField({ draft, change, fieldError }: FieldProps) {
  const [cut, setCut] = useState('')
  return (
    <div className="grid gap-1.5">
      <TextField
        label="Title"
        required
        maxLength={MAX_TITLE}
        value={draft.title}
        onChange={(event) => change({ title: event.target.value })}
        onPaste={(event) => setCut(pasteTitle(event))}
        placeholder="Connection pool exhausted after deploy"
        hint="What somebody would type into the search box."
        error={fieldError('title')}
      />
      {cut && <Notice tone="warn">{cut}</Notice>}
      <SecretWarning text={draft.title} onReplace={(title) => change({ title })} />
      <DangerWarning text={draft.title} />
    </div>
  )
}

/** A title is one line. Pasted text that does not fit is reported, not dropped silently. */
function pasteTitle(event: ClipboardEvent<HTMLInputElement>): string {
  const { value, selectionStart, selectionEnd } = event.currentTarget
  const text = event.clipboardData.getData('text/plain').replace(/\s+/g, ' ')
  const around = { before: value.slice(0, selectionStart ?? 0), after: value.slice(selectionEnd ?? 0) }
  const done = pasteInto(text, { ...around, maxLength: MAX_TITLE, asCode: false })
  if (!done) return ''
  event.preventDefault()
  insertText(event.currentTarget, done.text)
  return cutNote(done.cut, MAX_TITLE)
}

function TypeField({
  value,
  onChange,
}: {
  value: Draft['card_type']
  onChange: (value: Draft['card_type']) => void
}) {
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">Type</legend>
      <div className="flex flex-wrap gap-2">
        {Object.entries(CARD_TYPES).map(([type, { label, icon: Icon }]) => (
          <label
            key={type}
            className={cx(
              'flex h-8 items-center gap-1.5 rounded-md border px-2.5 text-sm transition-colors has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:h-10',
              type === value
                ? 'border-accent bg-chosen text-accent-strong'
                : 'border-line-strong bg-panel hover:bg-hover',
            )}
          >
            <input
              type="radio"
              name="card-type"
              className="sr-only"
              checked={type === value}
              onChange={() => onChange(type as Draft['card_type'])}
            />
            <Icon size={14} aria-hidden />
            {label}
          </label>
        ))}
      </div>
      <p className="mt-1.5 text-xs text-faint">{CARD_TYPES[value].about}</p>
    </fieldset>
  )
}
