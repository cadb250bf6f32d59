import type { ReactNode } from 'react'
import { formatNumber } from '../lib/format.ts'

type BarsProps = {
  label: string
  rows: { name: string; value: number }[]
  /** A name that leads somewhere. */
  link?: (name: string) => ReactNode
}

/** A small horizontal bar chart that reads as a list. */
export function Bars({ label, rows, link }: BarsProps) {
  const most = Math.max(1, ...rows.map((row) => row.value))
  return (
    <ul aria-label={label} className="grid gap-2">
      {rows.map((row) => (
        <li
          key={row.name}
          className="grid grid-cols-[minmax(0,1fr)_minmax(0,1.4fr)_auto] items-center gap-3 text-sm"
        >
          <span className="truncate text-soft">{link ? link(row.name) : row.name}</span>
          <span aria-hidden className="h-1.5 overflow-hidden rounded-full bg-sunken">
            <span
              className="block h-full rounded-full bg-accent"
              style={{ width: `${(row.value / most) * 100}%` }}
            />
          </span>
          <span className="min-w-6 text-right tabular-nums">{formatNumber(row.value)}</span>
        </li>
      ))}
    </ul>
  )
}
