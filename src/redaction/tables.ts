import type { Pieces } from '../shared/pieces.ts'
import { type Name, secretValue } from './assignments.ts'
import { type LinePrefix, NO_PREFIX, sharedPrefix, withoutPrefix } from './line-prefix.ts'
import { FOREIGN_NAMES, SECRET_NAMES } from './names.ts'
import { certaintyOf, isDigit, isLetter, isUnpronounceable, SURE } from './placeholders.ts'
import { lazily, RANK, type Span } from './rule.ts'

const REST_OF_NAME = /[\w-]{0,40}/y
/** Names about a secret, without the secret: `secretName`, `AUTH0_DOMAIN`, `token-type`. */
const ABOUT =
  'names?|refs?|domain|host|hostname|arn|type|version|alg|algorithm|length|count|rate|ratio|through|ttl|expiry'
const ABOUT_IT = new RegExp(`(?:^|[_-])(?:${ABOUT})$`, 'i')
const ABOUT_IT_IN_CAMEL_CASE = new RegExp(
  `(?:${ABOUT.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())})$`,
)
/** Public key names; GnuPG's `--recv-keys` takes fingerprints. */
const PUBLIC = /(?:public[_ -]?|recv-)$/i
/** Words such as `bypass`, `compass`; any other letters before `pass` may name a service. */
const NO_PASSWORD =
  /(?<![a-z])(?:by|com|encom|sur|tres|over|under|(?:first|second|third|render|shader|shadow|depth|low|high|band)[_ -]?)$/i
const PUBLIC_KEY = /public[_ -]?key[_ -]?$/i
const OF_ACCESS = /access[_ -]?$/i

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** Matches packages (`next-auth@5.0.0`), ARNs (`arn:aws:kms:…`) and link anchors. */
const PACKAGE =
  /^@?[A-Za-z][\w./-]{0,100}@[~^]?v?\d{1,5}\.\d{1,5}(?:\.\d{1,5})?(?:-[a-z]{1,10}(?:\.\d{1,5}){0,2})?$/
const RESOURCE_OR_ANCHOR = /^(?:arn:aws|#[a-z][a-z-]{0,100}$)/

function isConstant(value: string): boolean {
  if (!/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value)) return false
  const words = value.split('_').filter((part) => /^[A-Z]{2,20}$/.test(part))
  return words.length >= 2 && words.join('').length > value.length / 2
}

/** Excludes words in capitals, which may be a licence key. */
const WORD = /^[A-Z]?[a-z]{1,19}$/
const NUMBER = /^(?:v?\d{1,8}|[a-z]{1,12}\d{1,3})$/
const HASH = /^(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}$/

function isCacheKey(value: string): boolean {
  const parts = value.split(/[-_./:]/)
  const hasHash = HASH.test(parts.at(-1) ?? '')
  const known = hasHash ? parts.slice(0, -1) : parts
  const words = known.filter((part) => WORD.test(part) && !isUnpronounceable(part))
  return words.length >= (hasHash ? 2 : 1) && known.every((part) => words.includes(part) || NUMBER.test(part))
}

/** Matches keys of caches, maps and tables: `key`, `restore-keys`, `sort_key`, but not `api_key`. */
const PLAIN_KEY =
  /(?:^|[^\w-]|(?:cache|restore|primary|foreign|partition|sort|group|row|object|routing)[_-]?)$/i

const FOREIGN_KEY = /^(?:ключ|schlüssel|clé|キー|키)/

export function isHarmless(text: string, { start, end }: Name, kind: string, value: string): boolean {
  REST_OF_NAME.lastIndex = end
  const rest = REST_OF_NAME.exec(text)?.[0] ?? ''
  if (ABOUT_IT.test(rest) || ABOUT_IT_IN_CAMEL_CASE.test(rest)) return true
  const name = text.slice(start, end).toLowerCase()
  const before = text.slice(Math.max(0, start - 12), start)
  if (kind === 'password') return name === 'pass' && NO_PASSWORD.test(before) && !isUnpronounceable(value)
  if (PUBLIC_KEY.test(before) || (name === 'key' && PUBLIC.test(before))) return true
  if (PACKAGE.test(value) || RESOURCE_OR_ANCHOR.test(value) || isConstant(value)) return true
  if (kind !== 'api_key') return false
  // Services show the id of an access key together with the key.
  if (/^(?:key|api)$/.test(name) && /^[_-]?ids?$/i.test(rest)) return !OF_ACCESS.test(before)
  if (UUID.test(value)) return /id$/i.test(name + rest)
  return (
    (name === 'key' || FOREIGN_KEY.test(name)) &&
    /^s?$/i.test(rest) &&
    PLAIN_KEY.test(before) &&
    isCacheKey(value)
  )
}

const MAX_HEAD_LENGTH = 600
const MAX_ROW_LENGTH = 4000
const MAX_NAME_LENGTH = 40
const MAX_CELLS = 40

type Heading = { kind: string; text: string; name: Name; isPair: boolean }
type Cell = { start: number; text: string }

const namePatterns = [...SECRET_NAMES, ...FOREIGN_NAMES].map(({ kind, whole, names }) => ({
  kind,
  pattern: lazily(() => `(?:${names.join('|')})${whole ? 's?(?![a-z])' : ''}`, 'i'),
}))
const PAIR_HEAD =
  /^(?:login|log-?in|account|credentials?|creds|zugang|zugangsdaten|user ?\/ ?pass(?:word)?|konto|accès|acceso|acesso)s?$/i
export const HEADS_OF_PAIRS = ['login', 'account', 'credential', 'creds', 'zugang', 'konto', 'acceso']
const WRAPPING = /^[\s*_~"'`!]{1,8}|[\s*_~"'`]{1,8}$/g

function headingIn(cell: string): Heading | undefined {
  const text = cell.replace(WRAPPING, '')
  if (text === '' || text.length > MAX_NAME_LENGTH) return undefined
  if (PAIR_HEAD.test(text))
    return { kind: 'password', text, name: { start: 0, end: text.length }, isPair: true }
  for (const { kind, pattern } of namePatterns) {
    const found = pattern().exec(text)
    if (found)
      return { kind, text, name: { start: found.index, end: found.index + found[0].length }, isPair: false }
  }
  return undefined
}

const TRIMMED = /[^\s*_~"'`](?:[^\r\n]{0,398}[^\s*_~"'`])?/
const WRITTEN = /[^\s"'`](?:[^\r\n]{0,398}[^\s"'`])?/
const PAIR_VALUE = /^[^\s:/|,;]{1,60}\s{0,2}[:/|,;]\s{0,2}(?=\S)/

function secretIn(cell: Cell, { kind, text, name, isPair }: Heading, isSure: boolean): Span | undefined {
  const found = (/^\s*[*_~"'`]/.test(cell.text) ? TRIMMED : WRITTEN).exec(cell.text)
  if (!found) return undefined
  const before = isPair ? (PAIR_VALUE.exec(found[0])?.[0].length ?? found[0].length) : 0
  const value = found[0].slice(before)
  const start = cell.start + found.index + before
  if (value === '' || isHarmless(text, name, kind, value)) return undefined
  if (/\s/.test(value)) return undefined
  if (certaintyOf(value) >= SURE) return { start, end: start + value.length, kind, rank: RANK.assigned }
  return isSure && !isPair && (kind === 'password' || cell.start > 0)
    ? secretValue(value, start, kind)
    : undefined
}

type Cut = {
  name: string
  isSure: boolean
  cells(line: string, start: number): Cell[]
  isHead(cells: Cell[]): boolean
}

const splitBy =
  (pattern: RegExp) =>
  (line: string, start: number): Cell[] => {
    const cells: Cell[] = []
    let from = 0
    for (const { index, 0: sign } of line.matchAll(pattern)) {
      if (cells.length >= MAX_CELLS) break
      cells.push({ start: start + from, text: line.slice(from, index) })
      from = index + sign.length
    }
    cells.push({ start: start + from, text: line.slice(from) })
    return cells
  }

const cutByBars = splitBy(/\|\||!!|[|│┃║]|(?<=^|[ ^])\^(?= |$)/g)
function barCells(line: string, start: number): Cell[] {
  const cells = cutByBars(line, start)
  return cells.length > 1 && /^[\s!]*$/.test(cells[0]?.text ?? '') ? cells.slice(1) : cells
}

const quotedCells = (sign: string) => {
  const pattern = lazily(
    () =>
      `[ \\t]{0,4}(?:"((?:[^"\\n]|""){0,400})"|'([^'\\n${sign}]{0,400})'|([^"${sign}\\n]{0,400}))[ \\t]{0,4}(?:${sign}|\\r?$)`,
    'y',
  )
  return (line: string, start: number): Cell[] => {
    const cells: Cell[] = []
    const cell = pattern()
    cell.lastIndex = 0
    while (cells.length < MAX_CELLS) {
      const at = cell.lastIndex
      const found = cell.exec(line)
      if (!found) return []
      const text = found[1] ?? found[2] ?? found[3] ?? ''
      cells.push({ start: start + at + found[0].indexOf(text), text })
      if (!found[0].endsWith(sign)) return cells
    }
    return cells
  }
}

const HEAD_CELL = /^(?:[\p{L}_][\p{L}\p{M}\d _./#-]{0,38}(?:\([^()]{1,20}\))?|#|№|)$/u
const areHeads = (cells: readonly Cell[]) =>
  cells.filter(({ text }) => text.trim() !== '').length > 1 &&
  cells.every(
    ({ text }) =>
      text.length <= MAX_NAME_LENGTH * 2 &&
      HEAD_CELL.test(text.replace(WRAPPING, '')) &&
      text.trim().split(/\s+/).length <= 4,
  )

const CUTS: readonly Cut[] = [
  { name: 'bars', isSure: true, cells: barCells, isHead: (cells) => cells.length > 0 },
  { name: 'tabs', isSure: true, cells: splitBy(/\t+/g), isHead: areHeads },
  { name: 'semicolons', isSure: true, cells: quotedCells(';'), isHead: areHeads },
  { name: 'commas', isSure: true, cells: quotedCells(','), isHead: areHeads },
]
const byBlanks = splitBy(/ {2,}/g)
const bySingleBlanks = splitBy(/ +/g)
const SIGN_OF_CUT: Record<string, RegExp> = {
  bars: /[|│┃║]|!!|\^ /,
  tabs: /\t/,
  semicolons: /;/,
  commas: /,/,
}

/** Matches the line between heads and rows: `|---|:--|`, `----+---`, `=====`. */
const SEPARATOR = /^[\s|:+=─━┄═┼╪╬├┤╞╡╠╣┌┬┐└┴┘╔╦╗╚╩╝-]+$/

const BEGINS_WITH_BAR = /^\s*[|│┃║]/
const CODE_SIGN = /[{}[\]=<>:]/

function countOf(line: string, sign: string): number {
  let count = 0
  for (let at = line.indexOf(sign); at !== -1; at = line.indexOf(sign, at + 1)) count += 1
  return count
}

type Line = { text: string; start: number; end: number }

function lineAt(text: string, start: number): Line | undefined {
  if (start > text.length) return undefined
  let end = text.indexOf('\n', start)
  if (end === -1) end = text.length
  const isLong = end - start > MAX_ROW_LENGTH
  const written = isLong ? '' : text.slice(start, end)
  return { text: written.endsWith('\r') ? written.slice(0, -1) : written, start, end }
}

/** Reads one row with each step, and returns its secrets. */
type Rows = Generator<readonly Span[], void>
/** A table that is being read. No name before `until` is read as a head. */
type Reading = { until: number; rows?: Rows | undefined }

/** A head, what each of its lines begins with, and the line below it. */
type Form = { head: Line; prefix: LinePrefix; next: string }

const PIECE_CHARACTERS = 16 * 1024

/**
 * Reads the tables of a text from name to name. Each line is read as a head at most once, and rows are never
 * heads.
 */
export class Tables {
  readonly #text: string
  /** Set by the caller that has seen an HTML cell. */
  hasHtml = false
  #lineStart = 0
  #lineEnd = -1
  readonly #lines: Reading = { until: 0 }
  readonly #html: Reading = { until: 0 }
  readonly #lists: Reading = { until: 0 }

  constructor(text: string) {
    this.#text = text
  }

  secretsBelow(name: Name): readonly Span[] {
    const sign = signBehind(this.#text, name.end)
    if (sign === undefined) return NONE
    const spans = this.#readOn(name.start)
    if (this.hasHtml) spans.push(...this.#inHtml(name))
    if (sign === ',' || sign === ')' || sign === ']') spans.push(...this.#inLists(name))
    if (name.start >= this.#lineStart && name.start <= this.#lineEnd) return spans
    const head = this.#lineOf(name)
    if (head && head.start >= this.#lines.until && head.text !== '') spans.push(...this.#below(head))
    return spans
  }

  /** Reads open tables on, as many characters as a piece of a scan has. */
  readPiece(): readonly Span[] {
    return this.#readings.flatMap((reading) => this.#readRows(reading, reading.until + PIECE_CHARACTERS))
  }

  *rest(): Pieces<readonly Span[]> {
    const spans: Span[] = []
    while (this.#readings.some(({ rows }) => rows !== undefined)) {
      for (const span of this.readPiece()) spans.push(span)
      yield
    }
    return spans
  }

  get #readings(): readonly Reading[] {
    return [this.#lines, this.#html, this.#lists]
  }

  #readOn(end: number): Span[] {
    return this.#readings.flatMap((reading) => this.#readRows(reading, end))
  }

  #readRows(reading: Reading, end: number): Span[] {
    const spans: Span[] = []
    while (reading.rows && reading.until <= end) {
      const { done, value } = reading.rows.next()
      if (done) reading.rows = undefined
      else for (const span of value) spans.push(span)
    }
    return spans
  }

  /** Reads the first row. Returns undefined if there is none. */
  #open(reading: Reading, rows: Rows): readonly Span[] | undefined {
    const first = rows.next()
    if (first.done) return undefined
    reading.rows = rows
    return first.value
  }

  #lineOf({ start }: Name): Line | undefined {
    // Names come in text order, so text before this line is not read again.
    const least = start > this.#lineEnd ? Math.max(0, this.#lineEnd + 1) : 0
    let from = start
    while (from > least && start - from <= MAX_HEAD_LENGTH && this.#text[from - 1] !== '\n') from -= 1
    const isStart = from === 0 || this.#text[from - 1] === '\n'
    const end = this.#text.indexOf('\n', start)
    this.#lineStart = from
    this.#lineEnd = end === -1 ? this.#text.length : end
    if (!isStart || this.#lineEnd - from > MAX_HEAD_LENGTH) return undefined
    return lineAt(this.#text, from)
  }

  #below(head: Line): readonly Span[] {
    for (const form of this.#formsOf(head)) {
      const spans = this.#belowIn(form)
      if (spans) return spans
    }
    return this.#besideInBars(head)
  }

  /** Returns the ways to read a head: with and without what its lines begin with, and the words before it. */
  #formsOf(head: Line): readonly Form[] {
    const below = lineAt(this.#text, head.end + 1)
    const second = below && !/\w/.test(below.text) ? lineAt(this.#text, below.end + 1) : undefined
    const prefix = BEGINS_WITH_BAR.test(head.text)
      ? NO_PREFIX
      : sharedPrefix(head.text, (second ?? below)?.text ?? '')
    const formOf = (prefix: LinePrefix): Form => ({
      head: lineWithout(head, prefix),
      prefix,
      next: below ? lineWithout(below, prefix).text : '',
    })
    const forms = prefix === NO_PREFIX ? [formOf(NO_PREFIX)] : [formOf(prefix), formOf(NO_PREFIX)]
    return forms.flatMap(withAndWithoutLead)
  }

  #belowIn({ head, prefix, next }: Form): readonly Span[] | undefined {
    for (const cut of CUTS) {
      if (!SIGN_OF_CUT[cut.name]?.test(head.text)) continue
      if (cut.name !== 'bars' && !SIGN_OF_CUT[cut.name]?.test(next)) continue
      if (cut.name === 'commas' && CODE_SIGN.test(head.text)) continue
      if (cut.name === 'commas' && countOf(head.text, ',') !== countOf(next, ',') && !next.includes('"'))
        continue
      const cells = cut.cells(head.text, head.start)
      if (!cut.isHead(cells)) continue
      const rows = this.#rows(this.#lines, head, prefix, cells, (line) => rowOf(cut, line, cells))
      const spans = this.#open(this.#lines, rows)
      if (spans || cut.name === 'bars') return spans
    }
    return /\S {2,}\S|^[A-Z]+ |^[ \t]{0,4}[#;] /.test(head.text) && /\S\s+\S|^[-=]+$/.test(next)
      ? this.#alignedBelow(head, prefix)
      : undefined
  }

  /** Finds a value to the right of its name: `| password | … |`. Beyond the next cell it must be sure. */
  #besideInBars(line: Line): Span[] {
    if (!BEGINS_WITH_BAR.test(line.text)) return []
    const spans: Span[] = []
    let heading: Heading | undefined
    let distance = 0
    for (const cell of barCells(line.text, line.start)) {
      distance += 1
      const span = heading && !heading.isPair && secretIn(cell, heading, distance === 1)
      if (span) spans.push(span)
      const own = headingIn(cell.text)
      if (own) {
        heading = own
        distance = 0
      }
    }
    return spans
  }

  #alignedBelow(head: Line, prefix: LinePrefix): readonly Span[] | undefined {
    const wide = byBlanks(head.text.trimEnd(), head.start).filter(({ text }) => text.trim() !== '')
    const isCapital = /^[A-Z][A-Z0-9_/-]*(?: [A-Z0-9_/-]+)+$/.test(head.text.trimEnd())
    const sign = /^[ \t]{0,4}[#;][ \t]{1,4}(?=\w)/.exec(head.text)?.[0].length ?? 0
    const bySingle = () => bySingleBlanks(head.text.slice(sign).trimEnd(), head.start + sign)
    const cells = wide.length > 1 ? wide : isCapital || sign > 0 ? bySingle() : []
    if (!areHeads(cells)) return undefined
    const rows = this.#rows(this.#lines, head, prefix, cells, (line) => alignedRow(line, cells, head.start))
    return this.#open(this.#lines, rows)
  }

  *#rows(
    reading: Reading,
    head: Line,
    prefix: LinePrefix,
    cells: readonly Cell[],
    rowOfLine: (line: Line) => (Cell | undefined)[] | undefined,
  ): Rows {
    const headings = cells.map(({ text }) => headingIn(text))
    if (headings.every((heading) => heading === undefined)) return
    let rows = 0
    let cellsOfRow: (Cell | undefined)[] = []
    for (let next = lineAt(this.#text, head.end + 1); next; next = lineAt(this.#text, next.end + 1)) {
      const line = lineWithout(next, prefix)
      if (line.text !== '' && SEPARATOR.test(line.text)) continue
      if (line.text === '' && rows === 0 && next.start === head.end + 1) continue
      let row = rowOfLine(line)
      if (!row) return
      // AsciiDoc and MediaWiki put each cell on its own line.
      if (row.length === 1 && cells.length > 1) {
        cellsOfRow.push(row[0])
        if (cellsOfRow.length < cells.length) continue
        row = cellsOfRow
      }
      cellsOfRow = []
      rows += 1
      const spans: Span[] = []
      for (const [i, cell] of row.entries()) {
        const beside = i > 0 ? headingIn(row[i - 1]?.text ?? '') : undefined
        const heading = headings[i] ?? (beside?.isPair ? undefined : beside)
        const span = heading && cell && secretIn(cell, heading, headings[i] !== undefined)
        if (span) spans.push(span)
      }
      reading.until = Math.max(reading.until, Math.min(next.end + 1, this.#text.length))
      yield spans
    }
  }

  #inHtml({ start }: Name): readonly Span[] {
    const text = this.#text
    if (start < this.#html.until) return NONE
    const from = Math.max(0, start - 80)
    const before = text.slice(from, start)
    const opened = Math.max(
      before.lastIndexOf('<th'),
      before.lastIndexOf('<td'),
      before.lastIndexOf('<TH'),
      before.lastIndexOf('<TD'),
    )
    if (opened === -1 || /<\/t[dhr]/i.test(before.slice(opened))) return NONE
    const near = text.slice(Math.max(0, start - HTML_ROW), start)
    const row = Math.max(near.lastIndexOf('<tr'), near.lastIndexOf('<TR'))
    const rowFrom = row === -1 ? -1 : start - near.length + row
    return rowFrom === -1 ? NONE : (this.#open(this.#html, this.#htmlRows(rowFrom)) ?? NONE)
  }

  *#htmlRows(start: number): Rows {
    let headings: (Heading | undefined)[] | undefined
    for (let from = start, isLast = false; !isLast; ) {
      const at = from + '<tr'.length
      const near = this.#text.slice(at, at + MAX_HTML_ROW_LENGTH)
      const next = near.search(/<tr(?=[\s>])/i)
      const row = next === -1 ? near : near.slice(0, next)
      const cells = htmlCells(row, at)
      const spans = headings?.flatMap((heading, i) => {
        const cell = cells[i]
        const span = heading && cell && secretIn(cell, heading, true)
        return span ? [span] : []
      })
      isLast = next === -1 || (headings !== undefined && /<\/table/i.test(row))
      headings ??= cells.map(({ text }) => headingIn(text))
      from = at + row.length
      // Rows of this table are not read as heads, so each row is read once.
      this.#html.until = from
      yield spans ?? NONE
    }
  }

  #inLists(name: Name): readonly Span[] {
    const text = this.#text
    if (name.start < this.#lists.until) return NONE
    const from = Math.max(0, name.start - LIST_BEFORE)
    const before = text.slice(from, name.start)
    const opened = Math.max(before.lastIndexOf('('), before.lastIndexOf('['))
    if (opened === -1 || !LIST_ITEMS.test(before.slice(opened + 1))) return NONE
    const head = listAt(text, from + opened)
    if (!head || head.items.length < 2 || head.end <= name.start) return NONE
    this.#lists.until = head.end
    return this.#open(this.#lists, this.#listRows(head)) ?? NONE
  }

  *#listRows({ items, end }: List): Rows {
    const text = this.#text
    const headings = items.map(({ text }) => headingIn(text))
    for (;;) {
      BETWEEN_LISTS.lastIndex = this.#lists.until = end
      if (!BETWEEN_LISTS.test(text)) return
      const start = BETWEEN_LISTS.lastIndex
      if (/stdin;\r?\n$/i.test(text.slice(end, start))) {
        yield* this.#copied(items, start)
        return
      }
      const row = listAt(text, start - 1)
      if (row?.items.length !== items.length) return
      end = row.end
      this.#lists.until = end
      yield row.items.flatMap((cell, i) => {
        const heading = headings[i]
        const span = heading && secretIn(cell, heading, false)
        return span ? [span] : []
      })
    }
  }

  #copied(heads: readonly Cell[], start: number): Rows {
    const cut = CUTS[1] as Cut
    const head = { text: '', start, end: start - 1 }
    return this.#rows(this.#lists, head, NO_PREFIX, heads, (line) => {
      // A copied row is no head of another table.
      this.#lines.until = Math.max(this.#lines.until, line.end)
      return rowOf(cut, line, heads)
    })
  }
}

const HTML_ROW = 1500
const MAX_HTML_ROW_LENGTH = 20_000
const HTML_CELL = /<t[dh](?:\s[^<>]{0,200})?>([\s\S]{0,600}?)(?=<\/?t[dhr]|$)/gi

function htmlCells(row: string, start: number): Cell[] {
  return Array.from(row.matchAll(HTML_CELL), (found) => {
    const inner = found[1] ?? ''
    const text = /^(?:\s|<[^<>]{0,200}>){0,20}([^<]{0,400})/.exec(inner)
    const value = text?.[1] ?? ''
    const at = start + found.index + found[0].length - inner.length + (text?.[0].length ?? 0) - value.length
    return { start: at, text: value }
  })
}

const NONE: readonly Span[] = []
const QUOTES = `"'\`*_`
const ENDS = '|│┃║!^\t;,)]\r\n<'

function signBehind(text: string, nameEnd: number): string | undefined {
  for (let at = nameEnd; at <= nameEnd + MAX_NAME_LENGTH; at += 1) {
    const code = text.charCodeAt(at)
    if (isLetter(code) || isDigit(code) || code === 95 || code === 45) continue
    if (code === 32) {
      if (text.charCodeAt(at + 1) === 32) return ' '
      continue
    }
    if (Number.isNaN(code)) return '\n'
    const sign = text[at] as string
    if (QUOTES.includes(sign) || code > 126 || sign === '(' || sign === '.' || sign === ':' || sign === '/') {
      if (sign === '(' || sign === '.' || sign === '/' || sign === ':') {
        const next = text[at + 1] ?? ''
        if (sign === '(' ? !/\w/.test(next) : !/[.:<*_\s]/.test(next)) return undefined
      }
      if (ENDS.includes(sign)) return sign
      continue
    }
    if (sign === ')' && text.slice(nameEnd, at).includes('(')) continue
    return ENDS.includes(sign) ? sign : undefined
  }
  return undefined
}

type List = { items: Cell[]; end: number }
const LIST_BEFORE = 200
const LIST_ITEMS =
  /^(?:\s{0,4}["'`[]?[$@]?[\w -]{0,40}["'`\]]?\s{0,4},){0,20}\s{0,40}["'`[]?[$@]?[\w -]{0,40}$/
const BETWEEN_LISTS =
  /[\s,"'`]{0,20}(?:values|select|from\s{1,4}stdin;\r?\n|["']?\w{1,12}["']?\s{0,2}[:=])?[\s,:=]{0,20}[[(]{0,2}\s{0,20}(?:[([]|(?<=stdin;\r?\n))/iy
const LIST_ITEM =
  /\s{0,40}(?:[NEnebx]?'((?:[^'\\\n]|\\.|''){0,400})'|"((?:[^"\\\n]|\\.){0,400})"|`([^`\n]{0,100})`|\[([^\]\n]{0,40})\]|([^\s,()[\]"'`]{0,200}(?:\([^()\n]{0,100}\))?(?: [\w]{1,20}){0,3}))\s{0,20}([,)\]])/y

function listAt(text: string, open: number): List | undefined {
  const items: Cell[] = []
  LIST_ITEM.lastIndex = open + 1
  while (items.length < MAX_CELLS) {
    const at = LIST_ITEM.lastIndex
    const found = LIST_ITEM.exec(text)
    if (!found) return undefined
    const item = found.slice(1, 6).find((group) => group !== undefined) ?? ''
    items.push({ start: at + found[0].lastIndexOf(item, found[0].length - 1), text: item })
    if (found[6] !== ',') return { items, end: LIST_ITEM.lastIndex }
  }
  return undefined
}

function lineWithout(line: Line, prefix: LinePrefix): Line {
  const length = withoutPrefix(line.text, prefix)
  return length === 0 ? line : { text: line.text.slice(length), start: line.start + length, end: line.end }
}

const SENTENCE_BEFORE = /^.*[:.!?]\s+(?=\S)/
const WORDS_BEFORE = /^[^,;\t]*\s(?=[^\s,;\t]+[,;\t])/

/** Returns the head as it is and without the words before it in its line: `It fails: user,password`. */
function withAndWithoutLead(form: Form): readonly Form[] {
  const { head, next } = form
  const isBarsBelow = BEGINS_WITH_BAR.test(next) && !BEGINS_WITH_BAR.test(head.text)
  const length = isBarsBelow
    ? head.text.search(/[|│┃║]/)
    : ((SENTENCE_BEFORE.exec(head.text) ?? WORDS_BEFORE.exec(head.text))?.[0].length ?? 0)
  if (length <= 0) return [form]
  const bare = { ...form, head: { ...head, text: head.text.slice(length), start: head.start + length } }
  // The words would count as a column before the first bar.
  return isBarsBelow ? [bare, form] : [form, bare]
}

function rowOf(cut: Cut, line: Line, heads: readonly Cell[]): Cell[] | undefined {
  if (!SIGN_OF_CUT[cut.name]?.test(line.text)) return undefined
  const row = cut.cells(line.text, line.start)
  if (cut.name === 'bars') return row
  if (cut.name === 'tabs') return row.length > 1 ? row : undefined
  return row.length === heads.length ? row : undefined
}

/** Returns the word below each head: by equal column count, or at the head's own position. */
function alignedRow(line: Line, heads: readonly Cell[], headStart: number): (Cell | undefined)[] | undefined {
  if (line.text.trim() === '' || !/\S\s+\S/.test(line.text)) return undefined
  const written = line.text.trimEnd()
  for (const split of [byBlanks, bySingleBlanks]) {
    const cells = split(written, line.start).filter(({ text }) => text !== '')
    if (cells.length === heads.length) return cells
  }
  return heads.map(({ start, text }) => {
    const column = start - headStart + (text.length - text.trimStart().length)
    if (column > 0 && written[column - 1] !== ' ') return undefined
    const word = /^[^\s]{1,400}/.exec(written.slice(column))?.[0]
    return word === undefined ? undefined : { start: line.start + column, text: word }
  })
}
