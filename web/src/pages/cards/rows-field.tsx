import { Plus, Trash2 } from 'lucide-react'
import { type MouseEvent, type ReactNode, useRef } from 'react'
import { flushSync } from 'react-dom'
import { Button, IconButton } from '../../ui/button.tsx'
import { rowId } from './draft.ts'

type Row = { id: string }

/** The operations on the rows of a form. */
export const rowsOf = <T extends Row>(rows: T[], onChange: (rows: T[]) => void) => ({
  set: (id: string, next: Partial<T>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...next } : row))),
  remove: (id: string) => onChange(rows.filter((row) => row.id !== id)),
  add: (row: Omit<T, 'id'>) => onChange([...rows, { ...row, id: rowId() } as T]),
})

type Props = {
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

/** A part of the form with any number of rows. The focus goes into a new row, since its button was pressed to write one. */
export function RowsField({ legend, note = 'optional', addLabel, onAdd, error, children }: Props) {
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

/** Afterwards the focus is at the row that came into its place, or else at the button for a new one. */
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
