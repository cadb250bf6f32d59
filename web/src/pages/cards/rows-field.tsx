import { Plus, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
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

/** A part of the form with any number of rows. */
export function RowsField({ legend, note = 'optional', addLabel, onAdd, error, children }: Props) {
  return (
    <fieldset>
      <legend className="mb-1.5 flex w-full items-baseline justify-between text-sm font-medium">
        {legend} <span className="text-xs font-normal text-faint">{note}</span>
      </legend>
      {children}
      <Button size="sm" className="mt-2" onClick={onAdd}>
        <Plus size={14} aria-hidden />
        {addLabel}
      </Button>
      {error && <p className="mt-1 text-xs text-bad">{error}</p>}
    </fieldset>
  )
}

export const RemoveRow = ({ label, onRemove }: { label: string; onRemove: () => void }) => (
  <IconButton label={label} onClick={onRemove}>
    <Trash2 size={14} />
  </IconButton>
)
