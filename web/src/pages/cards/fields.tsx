import { Plus, Trash2 } from 'lucide-react'
import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Finding } from '#server/redaction/redact.ts'
import { whenLoaded } from '../../lib/loadable.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Input } from '../../ui/field.tsx'
import { Notice } from '../../ui/states.tsx'
import { type DraftPair, repeatedProblem, rowId } from './draft.ts'
import * as strings from './strings.ts'

type Row = { id: string }

export const rowsOf = <T extends Row>(rows: T[], onChange: (rows: T[]) => void) => ({
  set: (id: string, next: Partial<T>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...next } : row))),
  remove: (id: string) => onChange(rows.filter((row) => row.id !== id)),
  add: (row: Omit<T, 'id'>) => onChange([...rows, { ...row, id: rowId() } as T]),
})

type RowsFieldProps = {
  legend: string
  note?: string
  addLabel: string
  onAdd: () => void
  error?: string | undefined
  children: ReactNode
}

const fieldsIn = (set: HTMLElement | null) => [
  ...(set?.querySelectorAll<HTMLElement>('input, textarea, select') ?? []),
]

/** The focus goes into a new row, since its button was pressed to write one. */
export function RowsField({ legend, note = 'optional', addLabel, onAdd, error, children }: RowsFieldProps) {
  const set = useRef<HTMLFieldSetElement>(null)
  const add = () => {
    const before = fieldsIn(set.current).length
    flushSync(onAdd)
    fieldsIn(set.current)[before]?.focus()
  }
  return (
    <fieldset ref={set}>
      <legend className="mb-1.5 flex w-full items-baseline justify-between text-sm font-medium">
        {legend} <span className="text-xs font-normal text-faint">{note}</span>
      </legend>
      {children}
      <Button size="sm" className="mt-2" data-add-row="" onClick={add}>
        <Plus size={14} aria-hidden />
        {addLabel}
      </Button>
      {error && <p className="mt-1 text-xs text-bad">{error}</p>}
    </fieldset>
  )
}

/** Moves the focus to the next row, or to the button for a new one. */
export function RemoveRow({ label, onRemove }: { label: string; onRemove: () => void }) {
  const remove = ({ currentTarget }: MouseEvent<HTMLElement>) => {
    const set = currentTarget.closest('fieldset')
    const all = () => [...(set?.querySelectorAll<HTMLElement>('[data-remove-row]') ?? [])]
    const at = all().indexOf(currentTarget)
    flushSync(onRemove)
    const left = all()
    const next = left[Math.min(at, left.length - 1)] ?? set?.querySelector<HTMLElement>('[data-add-row]')
    next?.focus()
  }
  return (
    <IconButton label={label} data-remove-row="" onClick={remove}>
      <Trash2 size={14} />
    </IconButton>
  )
}

type PairsFieldProps = {
  pairs: DraftPair[]
  onChange: (pairs: DraftPair[]) => void
  error?: string | undefined
}

export function PairsField({ pairs, onChange, error }: PairsFieldProps) {
  const { set, remove, add } = rowsOf(pairs, onChange)
  const problem = repeatedProblem(pairs)
  return (
    <RowsField
      legend={strings.environment}
      addLabel={strings.addALine}
      onAdd={() => add({ name: '', value: '' })}
      error={problem ?? error}
    >
      <div className="grid gap-1.5">
        {pairs.map((pair, index) => (
          <div key={pair.id} className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] gap-2">
            <Input
              aria-label={strings.environmentName(index + 1)}
              placeholder="node"
              value={pair.name}
              onChange={(event) => set(pair.id, { name: event.target.value })}
            />
            <Input
              aria-label={strings.environmentValue(index + 1)}
              placeholder="20.11"
              value={pair.value}
              onChange={(event) => set(pair.id, { value: event.target.value })}
            />
            <RemoveRow label={strings.removeEnvironment(index + 1)} onRemove={() => remove(pair.id)} />
          </div>
        ))}
      </div>
    </RowsField>
  )
}

const loadScanner = () => import('#server/redaction/redact.ts')

/** Runs the server's own scanner while the person types. */
export function useSecrets(text: string): Finding[] {
  const [found, setFound] = useState<Finding[]>([])
  useEffect(() => {
    if (text.length < 8) return setFound([])
    let current = true
    const timer = setTimeout(
      () => whenLoaded(loadScanner(), ({ findSecrets }) => current && setFound(findSecrets(text))),
      250,
    )
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [text])
  return found
}

export function SecretWarning({ text, onReplace }: { text: string; onReplace: (text: string) => void }) {
  const found = useSecrets(text)
  if (found.length === 0) return null
  const names = found.map(
    ({ kind, count }) => `${kind.replaceAll('_', ' ').toLowerCase()}${count > 1 ? ` (${count})` : ''}`,
  )
  return (
    <Notice
      tone="warn"
      action={
        <Button
          size="sm"
          onClick={() => whenLoaded(loadScanner(), ({ redact }) => onReplace(redact(text).text))}
        >
          {strings.putAPlaceholder}
        </Button>
      }
    >
      {strings.looksLikeSecret(names.join(', '))}
    </Notice>
  )
}

type TextBox = HTMLTextAreaElement | HTMLInputElement

/** Replaces the selection as typing does, so that the browser's own undo works. */
export function insertText(box: TextBox, text: string): void {
  box.focus()
  // `execCommand` types into the focused element, and a hidden box cannot have the focus.
  if (document.activeElement === box && document.execCommand('insertText', false, text)) return
  box.setRangeText(text, box.selectionStart ?? 0, box.selectionEnd ?? 0, 'end')
  box.dispatchEvent(new InputEvent('input', { bubbles: true, data: text, inputType: 'insertFromPaste' }))
}

/** Replaces the last paste; false if the text was changed since. */
export function replaceText(box: TextBox, old: string, next: string): boolean {
  const at = box.value.lastIndexOf(old)
  if (at < 0) return false
  box.focus()
  box.setSelectionRange(at, at + old.length)
  insertText(box, next)
  return true
}

/**
 * Remembers the caret for text that arrives later. A person who writes on meanwhile keeps the place. If the
 * text before the caret has changed, the later text goes to the current caret.
 */
export function keepCaret(box: TextBox): (text: string) => void {
  let before = box.value.slice(0, box.selectionStart ?? 0)
  return (text) => {
    const elsewhere = document.activeElement
    const { selectionStart, selectionEnd } = box
    const [start, end] = [selectionStart ?? 0, selectionEnd ?? 0]
    const at = box.value.startsWith(before) ? before.length : start
    box.setSelectionRange(at, at)
    insertText(box, text)
    if (start > at) box.setSelectionRange(start + text.length, end + text.length)
    before = box.value.slice(0, at + text.length)
    if (elsewhere instanceof HTMLElement && elsewhere.matches('textarea, input:not([type=file])'))
      elsewhere.focus()
  }
}
