import { useMutation, useQuery } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react'
import { type ClipboardEvent, type ReactNode, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import type { DangerRuleId, Severity } from '#server/review/rule.ts'
import { call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { CardImage, Evidence } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { whenLoaded } from '../../lib/loadable.tsx'
import { IconButton } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Field, Input, TextareaField, TextField } from '../../ui/field.tsx'
import { LazyMarkdown } from '../../ui/lazy.tsx'
import { Notice, PartNotLoaded } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { cardImagesQuery, EvidenceList, ImageList } from './attachments.tsx'
import { CARD_TYPES, firstTexts } from './card-badges.tsx'
import { type Draft, type DraftEvidence, type DraftStep, payloadOf } from './draft.ts'
import { insertText, PairsField, RemoveRow, RowsField, rowsOf, SecretWarning } from './fields.tsx'
import { cutNote, PasteTextarea, pasteInto } from './paste.tsx'
import * as strings from './strings.ts'

type CardFormProps = {
  draft: Draft
  change: (next: Partial<Draft>) => void
  fieldError: (name: string) => string | undefined
  stored?: Evidence[]
  /** Undefined while a new card is written. */
  cardId?: string
  workspace?: ReactNode
}

export function CardForm({ draft, change, fieldError, stored = [], cardId, workspace }: CardFormProps) {
  return (
    <div className="grid gap-6">
      <TypeField value={draft.card_type} onChange={(card_type) => change({ card_type })} />
      {workspace}
      <TitleField draft={draft} change={change} fieldError={fieldError} />
      {firstTexts(draft.card_type).map(({ field, label, hint, isRequired }) => (
        <MarkdownField
          key={field}
          label={label}
          hint={hint}
          required={isRequired}
          optional={!isRequired}
          value={draft[field]}
          onChange={(text) => change({ [field]: text })}
          error={fieldError(field)}
        />
      ))}
      <StepsField steps={draft.steps} onChange={(steps) => change({ steps })} error={fieldError('steps')} />
      <TextField
        label={strings.tags}
        aside="optional"
        value={draft.tags}
        onChange={(event) => change({ tags: event.target.value })}
        placeholder={strings.postgresPoolDeploy}
        hint={strings.separatedByCommas}
        error={fieldError('tags')}
      />
      <PairsField
        pairs={draft.environment}
        onChange={(environment) => change({ environment })}
        error={fieldError('environment')}
      />
      <MarkdownField
        label={strings.notes}
        optional
        hint={strings.notesHint}
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
          label={strings.whereItApplies}
          aside="optional"
          value={draft.scope_notes}
          onChange={(event) => change({ scope_notes: event.target.value })}
          hint={strings.whereItAppliesHint}
          error={fieldError('scope_notes')}
        />
      )}
      <PayloadField draft={draft} change={change} fieldError={fieldError} />
    </div>
  )
}

type FieldProps = Pick<CardFormProps, 'draft' | 'change' | 'fieldError'>

function PayloadField({ draft, change, fieldError }: FieldProps) {
  const payload = payloadOf(draft.payload)
  return (
    <details className="border-t border-line pt-4" open={draft.payload !== '' || undefined}>
      <summary className="text-sm text-soft hover:text-ink">{strings.dataForAgents}</summary>
      <TextareaField
        label={strings.payload}
        hint={strings.payloadHint}
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
        label={strings.title}
        required
        maxLength={MAX_TITLE}
        value={draft.title}
        onChange={(event) => change({ title: event.target.value })}
        onPaste={(event) => setCut(pasteTitle(event))}
        placeholder={strings.titleExample}
        hint={strings.titleHint}
        error={fieldError('title')}
      />
      {cut && <Notice tone="warn">{cut}</Notice>}
      <SecretWarning text={draft.title} onReplace={(title) => change({ title })} />
      <DangerWarning text={draft.title} />
    </div>
  )
}

/** Joins pasted lines to one title, and reports text that does not fit. */
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
      <legend className="mb-1.5 text-sm font-medium">{strings.type}</legend>
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
              // The text of a fix has the label "Fix" too.
              aria-label={`${strings.type}: ${label}`}
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

type MarkdownFieldProps = {
  label: string
  value: string
  onChange: (value: string) => void
  hint?: string
  error?: string | undefined
  required?: boolean
  optional?: boolean
}

function MarkdownField({ label, value, onChange, hint, error, required, optional }: MarkdownFieldProps) {
  const [wanted, setPreview] = useState(false)
  // An empty text has no preview.
  const preview = wanted && value.trim() !== ''
  return (
    <div className="grid gap-1.5">
      <Field
        label={label}
        hint={hint}
        error={error}
        aside={
          <span className="flex items-center gap-2">
            {optional && 'optional'}
            {value.trim() && (
              <button
                type="button"
                aria-pressed={preview}
                aria-label={`${preview ? strings.write : strings.preview} ${label.toLowerCase()}`}
                className={cx('rounded-sm px-1 hover:text-ink', preview && 'font-medium text-accent')}
                onClick={() => setPreview(!preview)}
              >
                {preview ? strings.write : strings.preview}
              </button>
            )}
          </span>
        }
      >
        {(wiring) => (
          // An invalid text box is shown, so that it can get the focus.
          <div onInvalid={() => flushSync(() => setPreview(false))}>
            {preview && (
              <div className="min-h-16 rounded-md border border-line bg-panel px-3 py-2">
                <LazyMarkdown images="own">{value}</LazyMarkdown>
              </div>
            )}
            <PasteTextarea
              {...wiring}
              // Hidden, not removed: an upload that is under way inserts its picture here.
              hidden={preview}
              markdown
              required={required}
              maxLength={200_000}
              value={value}
              onChange={onChange}
            />
          </div>
        )}
      </Field>
      <SecretWarning text={value} onReplace={onChange} />
      <DangerWarning text={value} />
    </div>
  )
}

type StepsFieldProps = {
  steps: DraftStep[]
  onChange: (steps: DraftStep[]) => void
  error?: string | undefined
}

function StepsField({ steps, onChange, error }: StepsFieldProps) {
  const { set, remove, add } = rowsOf(steps, onChange)
  const move = (from: number, to: number, button: HTMLButtonElement) => {
    const next = [...steps]
    const [step] = next.splice(from, 1)
    if (step) flushSync(() => onChange(next.toSpliced(to, 0, step)))
    const usable = button.ariaDisabled
      ? button.parentElement?.querySelector('button:not([aria-disabled])')
      : button
    if (usable instanceof HTMLElement) usable.focus()
  }
  return (
    <RowsField
      legend={strings.steps}
      addLabel={strings.addAStep}
      onAdd={() => add({ action: '', result: '', kept: {} })}
      error={error}
    >
      <ol className="grid gap-3">
        {steps.map((step, index) => (
          <li key={step.id} className="grid grid-cols-[--spacing(5)_minmax(0,1fr)_auto] gap-2">
            <span
              aria-hidden
              className="mt-1.5 grid size-5 place-items-center rounded-full bg-sunken text-xs text-soft"
            >
              {index + 1}
            </span>
            <div className="grid gap-1.5">
              <PasteTextarea
                markdown
                maxLength={20_000}
                aria-label={strings.stepAction(index + 1)}
                rows={1}
                className="min-h-8!"
                placeholder={strings.whatToDo}
                value={step.action}
                onChange={(action) => set(step.id, { action })}
              />
              <PasteTextarea
                maxLength={20_000}
                aria-label={strings.stepResult(index + 1)}
                rows={1}
                className="min-h-8!"
                placeholder={strings.stepResultPlaceholder}
                value={step.result}
                onChange={(result) => set(step.id, { result })}
              />
              <SecretWarning text={step.action} onReplace={(action) => set(step.id, { action })} />
              <SecretWarning text={step.result} onReplace={(result) => set(step.id, { result })} />
              <DangerWarning text={`${step.action}\n\n${step.result}`} />
            </div>
            <div className="flex flex-col sm:flex-row">
              <IconButton
                label={strings.moveStepUp(index + 1)}
                disabled={index === 0}
                onClick={(event) => move(index, index - 1, event.currentTarget)}
              >
                <ArrowUp size={14} />
              </IconButton>
              <IconButton
                label={strings.moveStepDown(index + 1)}
                disabled={index === steps.length - 1}
                onClick={(event) => move(index, index + 1, event.currentTarget)}
              >
                <ArrowDown size={14} />
              </IconButton>
              <RemoveRow label={strings.removeStep(index + 1)} onRemove={() => remove(step.id)} />
            </div>
          </li>
        ))}
      </ol>
    </RowsField>
  )
}

type EvidenceFieldProps = {
  stored: Evidence[]
  added: DraftEvidence[]
  onChange: (added: DraftEvidence[]) => void
  error?: string | undefined
}

/** Evidence is append-only: stored items are shown, new ones can still be changed. */
function EvidenceField({ stored, added, onChange, error }: EvidenceFieldProps) {
  const { set, remove, add } = rowsOf(added, onChange)
  return (
    <RowsField
      legend={strings.evidence}
      note={stored.length ? strings.canOnlyBeAdded : 'optional'}
      addLabel={strings.addEvidence}
      onAdd={() => add({ kind: 'log', content: '' })}
      error={error}
    >
      <div className="grid gap-3">
        {stored.length > 0 && <EvidenceList evidences={stored} />}
        {added.map((one, index) => (
          <div key={one.id} className="grid grid-cols-[minmax(0,1fr)_auto] gap-2">
            <div className="grid gap-1.5">
              <Input
                aria-label={strings.evidenceKind(index + 1)}
                placeholder="log"
                value={one.kind}
                onChange={(event) => set(one.id, { kind: event.target.value })}
              />
              <PasteTextarea
                maxLength={200_000}
                aria-label={strings.evidenceContent(index + 1)}
                className="font-mono text-xs!"
                placeholder={strings.evidencePlaceholder}
                value={one.content}
                onChange={(content) => set(one.id, { content })}
              />
              <SecretWarning text={one.content} onReplace={(content) => set(one.id, { content })} />
              <DangerWarning text={one.content} />
            </div>
            <RemoveRow label={strings.removeEvidence(index + 1)} onRemove={() => remove(one.id)} />
          </div>
        ))}
      </div>
    </RowsField>
  )
}

function ImagesField({ cardId }: { cardId: string }) {
  const query = useQuery(cardImagesQuery(cardId))
  const { data } = query
  const [asked, setAsked] = useState<CardImage | null>(null)
  const remove = useMutation({
    mutationFn: (image: CardImage) => call('DELETE /api/v1/images/{image_id}', { image_id: image.image_id }),
    onSuccess: () => {
      setAsked(null)
      toast(strings.pictureDeleted)
      return queryClient.invalidateQueries({ queryKey: cardImagesQuery(cardId).queryKey })
    },
    onError: toastError,
  })
  if (!data?.items.length) return <PartNotLoaded what={strings.picturesOfCard} query={query} />
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">{strings.pictures}</legend>
      <ImageList
        images={data.items}
        action={(image, name) => (
          <IconButton label={strings.deletePictureNamed(name)} onClick={() => setAsked(image)}>
            <Trash2 size={14} />
          </IconButton>
        )}
      />
      <p className="mt-1.5 text-xs text-faint">{strings.picturesHint}</p>
      {asked && (
        <ConfirmDialog
          title={strings.deleteThisPicture}
          action={strings.deleteForGood}
          onClose={() => setAsked(null)}
          mutation={{ mutate: () => remove.mutate(asked), isPending: remove.isPending }}
        >
          {strings.deletePictureWarning}
        </ConfirmDialog>
      )}
    </fieldset>
  )
}

type DangerFinding = { rule: DangerRuleId; severity: Severity; quote: string; why: string; safer: string }

const MAX_FINDINGS_SHOWN = 3
const MAX_QUOTE_CHARS = 60
const MIN_TEXT_CHARS = 8

async function lookAt(text: string): Promise<DangerFinding[]> {
  const [{ findDanger }, { DANGER_WORDS }] = await Promise.all([
    import('#server/review/find-danger.ts'),
    import('#server/review/find-danger.ts'),
  ])
  const first = new Map<string, DangerFinding>()
  for (const { rule, severity, start, end } of findDanger(text)) {
    const known = first.get(rule)
    if (severity === 'note' || (known && known.severity === 'block')) continue
    if (known && severity === known.severity) continue
    first.set(rule, { rule, severity, quote: text.slice(start, end), ...DANGER_WORDS[rule] })
  }
  return [...first.values()].slice(0, MAX_FINDINGS_SHOWN)
}

/** Runs the server's own review for danger while the person types. */
function useDanger(text: string): DangerFinding[] {
  const [found, setFound] = useState<DangerFinding[]>([])
  useEffect(() => {
    if (text.length < MIN_TEXT_CHARS) return setFound([])
    let current = true
    const timer = setTimeout(() => whenLoaded(lookAt(text), (told) => current && setFound(told)), 300)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [text])
  return found
}

const shortened = (quote: string) =>
  quote.length > MAX_QUOTE_CHARS ? `${quote.slice(0, MAX_QUOTE_CHARS)}…` : quote

function DangerWarning({ text }: { text: string }) {
  const found = useDanger(text)
  if (found.length === 0) return null
  return (
    <Notice tone="warn">
      <ul className="grid gap-2">
        {found.map(({ rule, severity, quote, why, safer }) => (
          <li key={rule}>
            <code className="wrap-anywhere">{shortened(quote)}</code>{' '}
            {severity === 'block' ? strings.cannotBePublished : strings.isMarkedForReaders} {why} {safer}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
