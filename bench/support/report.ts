import { appendFileSync } from 'node:fs'

export type Row = { what: string; measured: string; bar?: string; met?: boolean }

/** Hands rows to the runner (`npm run bench`), which says by BENCH_ROWS where it collects them. */
export function report(rows: readonly Row[]): void {
  const file = process.env.BENCH_ROWS
  if (file) appendFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
}

/** The rows in the file of one measurement; none if the benchmark ended before it could report. */
export const rowsIn = (text: string): Row[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
