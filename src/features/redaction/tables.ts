import { secretValue } from './assignments.ts'
import type { Name } from './distant-values.ts'
import { isHarmless } from './harmless.ts'
import { FOREIGN_NAMES, SECRET_NAMES } from './rules/names.ts'
import type { Span } from './rules/rule.ts'

/** Tables of Markdown and of databases: a name is beside its value, or at the head of its column. */
const LONGEST_NAME = 40
const MOST_CELLS = 40
const ONLY_SIGNS = /^[ \t|:+-]+$/
const WRAPPING = /^[\s*_~"'`]{1,8}|[\s*_~"'`]{1,8}$/g

const namePatterns = [...SECRET_NAMES, ...FOREIGN_NAMES].map(({ kind, whole, names }) => ({
  kind,
  pattern: new RegExp(`(?:${names.join('|')})${whole ? 's?(?![a-z])' : ''}`, 'i'),
}))

/** A cell that names a secret, and where in it the name is that says so. */
type Heading = { kind: string; text: string; name: Name }

function headingIn(cell: string): Heading | undefined {
  const text = cell.replace(WRAPPING, '')
  if (text === '' || text.length > LONGEST_NAME) return undefined
  for (const { kind, pattern } of namePatterns) {
    const found = pattern.exec(text)
    if (found) return { kind, text, name: { start: found.index, end: found.index + found[0].length } }
  }
  return undefined
}

/** `|---|:--|`, `----+---`: the line above it has the heads of the columns. */
const isSeparator = (line: string) =>
  line.includes('-') && /[|+]/.test(line) && ONLY_SIGNS.test(line.trimEnd())

type Cell = { start: number; text: string }

function cellsOf(line: string, lineStart: number): Cell[] {
  const cells: Cell[] = []
  let from = 0
  for (let bar = line.indexOf('|'); bar >= 0 && cells.length < MOST_CELLS; bar = line.indexOf('|', from)) {
    cells.push({ start: lineStart + from, text: line.slice(from, bar) })
    from = bar + 1
  }
  cells.push({ start: lineStart + from, text: line.slice(from) })
  // The text before the first bar of a row is not a cell.
  return cells[0]?.text.trim() === '' ? cells.slice(1) : cells
}

const TRIMMED = /[^\s*_~"'`](?:[^\r\n]{0,398}[^\s*_~"'`])?/

function secretIn(cell: Cell, { kind, text, name }: Heading): Span | undefined {
  const found = TRIMMED.exec(cell.text)
  if (!found || isHarmless(text, name, kind, found[0])) return undefined
  return secretValue(found[0], cell.start + found.index, kind)
}

export function secretsInTables(text: string): Span[] {
  if (!text.includes('|')) return []
  const spans: Span[] = []
  let columns: (Heading | undefined)[] = []
  let before: Cell[] = []
  for (let start = 0, end = 0; start <= text.length; start = end + 1) {
    end = text.indexOf('\n', start)
    if (end < 0) end = text.length
    const line = text.slice(start, end)
    const hasBars = line.includes('|')
    if ((hasBars || before.length > 0) && isSeparator(line)) {
      columns = before.map((cell) => headingIn(cell.text))
      continue
    }
    if (!hasBars) {
      columns = []
      before = []
      continue
    }
    const cells = cellsOf(line, start)
    const isRow = line.trimStart().startsWith('|') || columns.length > 0
    for (const [i, cell] of cells.entries()) {
      const beside = isRow && i > 0 ? headingIn(cells[i - 1]?.text ?? '') : undefined
      const heading = columns[i] ?? beside
      const span = heading && secretIn(cell, heading)
      if (span) spans.push(span)
    }
    before = cells
  }
  return spans
}
