import type { ReactNode } from 'react'
import { cx } from '../lib/cx.ts'
import { Button } from './button.tsx'

type Column<T> = {
  name: string
  cell: (row: T) => ReactNode
  end?: boolean
  wide?: boolean
  hideName?: boolean
  /** On a narrow screen it gets the remaining room, and is cut to it. */
  shrinks?: boolean
}

type TableProps<T> = { label: string; columns: Column<T>[]; rows: T[]; rowKey: (row: T) => string }

export function Table<T>({ label, columns, rows, rowKey }: TableProps<T>) {
  return (
    <section className="relative overflow-x-auto" tabIndex={0} aria-label={label}>
      <table className="w-full text-left text-sm">
        <thead>
          <tr className="border-b border-line text-xs text-faint">
            {columns.map((column) => (
              <th key={column.name} scope="col" className={cellClass(column, 'pb-2 font-normal')}>
                {column.hideName ? <span className="sr-only">{column.name}</span> : column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column) => (
                <td key={column.name} className={cellClass(column, 'py-2.5')}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const cellClass = <T,>(column: Column<T>, extra: string) =>
  cx(
    'pr-4 align-middle last:pr-0',
    extra,
    column.end && 'text-right tabular-nums',
    column.wide && 'max-sm:hidden',
    column.shrinks && 'max-sm:w-full max-sm:max-w-0',
  )

type PagerProps = { page: number; pageSize: number; total: number; onPage: (page: number) => void }

export function Pager({ page, pageSize, total, onPage }: PagerProps) {
  const pages = Math.max(1, Math.ceil(total / pageSize))
  // Rows of the last page may be gone meanwhile: the way back stays.
  const isPast = page > pages
  if (pages === 1 && !isPast) return null
  return (
    <nav aria-label="Pages" className="flex items-center justify-between gap-3 py-3 text-sm text-soft">
      <Button disabled={page <= 1} onClick={() => onPage(Math.min(page - 1, pages))}>
        Previous
      </Button>
      <span className="tabular-nums">{isPast ? 'Nothing is left on this page' : `${page} of ${pages}`}</span>
      <Button disabled={page >= pages} onClick={() => onPage(page + 1)}>
        Next
      </Button>
    </nav>
  )
}
