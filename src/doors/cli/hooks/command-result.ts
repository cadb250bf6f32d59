import { hidesExitCode } from '../../../shared/command-line.ts'
import { failsToRead, isReading, terminalText } from '../../../text/command-output.ts'
import type { CommandRun } from './agents.ts'

/** These cuts drop everything that may belong to a secret at the cut: half a secret is not recognised. */

/** Longest secret with spaces, such as a passphrase. */
const MAX_PHRASE_LENGTH = 200
const ELLIPSIS = '…'

/** Returns the beginning up to a line end; if the last line fills more than half, up to a space or a quote. */
function upToABreak(text: string, most: number): string {
  const start = text.slice(0, most)
  const lineEnd = start.lastIndexOf('\n')
  if (lineEnd >= most / 2) return start.slice(0, lineEnd)
  const sure = start.slice(0, Math.max(0, most - MAX_PHRASE_LENGTH))
  return sure.replace(/[^\s"'`]+$/, '').toWellFormed()
}

/** A name that stands behind its secret value: Kubernetes' `kind`, or the type of a JSON web key. */
const SECRET_BEFORE = /\bkind\\?["']?: {0,4}\\?["']?secret\b/i
const KEY_BEFORE = /["']kty\\?["']/
/** Must be as far as redaction looks for such a word. */
const READ_AHEAD = 20_000

const KIND = /\bkind\\?["']?:/g
const DATA = /(?<![\w.-])(?:stringData|data)\\?["']?:/

const VALUE_LINE = /value["']?\s*[:=>]/i

/** Returns the text without last lines that hold a value whose name may follow. */
function withoutLastValues(text: string): string {
  let end = text.length
  for (;;) {
    const start = text.lastIndexOf('\n', end - 1) + 1
    if (end <= 0 || !VALUE_LINE.test(text.slice(start, end))) return text.slice(0, Math.max(0, end))
    end = start - 1
  }
}

/** Returns the beginning without values that a word behind the cut makes secret. */
function wholeStart(text: string, most: number): string {
  const start = withoutLastValues(upToABreak(text, most))
  const ahead = text.slice(start.length, start.length + READ_AHEAD)
  const object = SECRET_BEFORE.test(ahead) ? ([...start.matchAll(KIND)].at(-1)?.index ?? 0) : start.length
  const data = start.slice(object).search(DATA)
  const key = KEY_BEFORE.test(ahead) ? start.lastIndexOf('{') : -1
  return start.slice(0, Math.min(data < 0 ? start.length : object + data, key < 0 ? start.length : key))
}

/** Single words, rows between bars, and the lines between the head of a key and its data. */
const MAY_CONTINUE = /^[\s>*"'`-]*(?:[\w./-]+["']?: )?\S*\s*$|\||^\s*(?:Version|Comment|Hash|Charset): /

/** Separators of cells. A comma between digits belongs to a position or a time. */
const SEPARATORS: readonly RegExp[] = [/\t/g, /;/g, /(?<!\d),|,(?!\d)/g, /(?<=\S) {2,}(?=\S)/g]
const LINES_COMPARED = 3
/** Lines without the separators of their table, such as a row with a comma in a value. */
const MAX_ODD_ROWS = 3
/** Longer lines are no rows. */
const MAX_ROW_LENGTH = 4000
const MAX_ROWS_BACK = 20_000

type Shape = { separator: RegExp; count: number }

const countOf = (line: string, separator: RegExp): number =>
  line.length > MAX_ROW_LENGTH ? 0 : (line.match(separator)?.length ?? 0)

const isRow = (line: string, shapes: readonly Shape[]): boolean =>
  shapes.some(({ separator, count }) => countOf(line, separator) === count)

/** Returns the separators that half of the lines have equally often. */
function shapesOf(lines: readonly string[]): Shape[] {
  return SEPARATORS.flatMap((separator) => {
    const counts = lines.map((line) => countOf(line, separator))
    const common = counts.filter((count) => counts.filter((one) => one === count).length >= LINES_COMPARED)
    return [...new Set(common)].flatMap((count) => (count > 0 ? [{ separator, count }] : []))
  })
}

/** Yields the whole lines before a place, the last one first. */
function* linesBefore(text: string, at: number, most: number): Generator<string> {
  let end = text.lastIndexOf('\n', at - 1)
  for (let left = most; end > 0 && left > 0; left--) {
    const start = text.lastIndexOf('\n', end - 1)
    yield text.slice(start + 1, end)
    end = start
  }
}

const NAMES_SECRET = /pass|pwd|secret|token|key|credential/i

/** Whether a line names columns: without digits, or with a secret. SQL's list may have one comma less. */
function isHead(line: string, { separator, count }: Shape): boolean {
  const own = countOf(line, separator)
  return own > 0 && Math.abs(own - count) <= 1 && (!/\d/.test(line) || NAMES_SECRET.test(line))
}

/** Whether lines before a place begin a table of this shape. Without an end to the search it counts as one. */
function hasHead(text: string, at: number, shape: Shape): boolean {
  let [odd, seen] = [0, 0]
  for (const line of linesBefore(text, at, MAX_ROWS_BACK)) {
    if (isHead(line, shape)) return true
    odd = isRow(line, [shape]) ? 0 : odd + 1
    if (odd > MAX_ODD_ROWS) return false
    seen += 1
  }
  return seen === MAX_ROWS_BACK
}

/** Counts the lines from a place on that continue a table: without its head, no value of a row is known. */
function rowsFrom(text: string, at: number, lines: readonly string[]): number {
  const shapes = shapesOf([...linesBefore(text, at, LINES_COMPARED), ...lines.slice(0, LINES_COMPARED)])
  const tables = shapes.filter((shape) => hasHead(text, at, shape))
  if (tables.length === 0) return 0
  let rows = 0
  for (let line = 0; line < lines.length && line - rows <= MAX_ODD_ROWS; line++)
    if (isRow(lines[line] ?? '', tables)) rows = line + 1
  return rows
}

/** Returns the end from a whole line on, without lines that may hold the value of a cut name. */
function wholeEnd(text: string, most: number): string {
  const lines = text.slice(-most).split('\n').slice(1)
  const value = lines.findIndex((line) => line.trim() !== '')
  const next = lines.findIndex((line, at) => at > value && !MAY_CONTINUE.test(line))
  if (value < 0 || next < 0) return ''
  const kept = lines.slice(next)
  const length = kept.reduce((sum, line) => sum + line.length + 1, -1)
  return kept.slice(rowsFrom(text, text.length - length, kept)).join('\n')
}

export const startToRedact = (text: string, most: number): string =>
  text.length <= most ? text : `${wholeStart(text, most)}\n${ELLIPSIS}`.trimStart()

export function endsToRedact(text: string, most: number): string {
  if (text.length <= most) return text
  const head = Math.floor(most / 4)
  return `${wholeStart(text, head)}\n${ELLIPSIS}\n${wholeEnd(text, most - head - 3)}`
}

/** Maximum ratio of colour codes to text. */
const CODES_TO_TEXT = 20

const SIGNS_OF_CODES = ['\u001b', '\u009b', '\r']
const hasCodes = (output: string): boolean => SIGNS_OF_CODES.some((sign) => output.includes(sign))

/** Removes colour codes before the cut, because they hide where a value ends. */
export const outputToRedact = (output: string, most: number): string =>
  endsToRedact(terminalText(endsToRedact(output, hasCodes(output) ? most * CODES_TO_TEXT : most)), most)

/** Limit of characters read of an output: both ends, where tools report errors. */
const LOOKED_AT = 16_000

/** Beginnings of error lines, for hidden exit codes; they only decide whether the vault is asked. */
const SIGNS: readonly RegExp[] = [
  /^[ \t]{0,8}(?:npm ERR!|npm error|ERR_PNPM_|fatal:|panic:|Traceback \(most recent call last\)|BUILD FAILED|Segmentation fault)/m,
  /^[ \t]{0,8}(?:error(?:\[[A-Z]\d{1,5}\])?:|ERROR[: ]|FAIL(?:ED|URE)?[ :])/m,
  /^[ \t]{0,8}(?:(?:E {2}|│) {0,6})?[A-Za-z_.]{0,80}(?:Error|Exception):/m,
  /\berror TS\d{4,5}:|: \*\*\* .{1,300} Stop\.$/m,
  /: (?:command not found|No such file or directory|Permission denied)$/m,
  /\b[1-9]\d{0,5} (?:failed|failing)\b/,
]

export function bothEnds(text: string, most: number): string {
  if (text.length <= most) return text
  const head = Math.floor(most / 4)
  return `${text.slice(0, head).toWellFormed()}\n…\n${text.slice(-(most - head - 3)).toWellFormed()}`
}

export function hasFailed({ command, exitCode, output }: CommandRun): boolean {
  if (exitCode !== null && exitCode !== 0) return true
  if (exitCode === 0 && !hidesExitCode(command)) return false
  const shown = terminalText(bothEnds(output, LOOKED_AT))
  if (isReading(command)) return failsToRead(command, shown)
  return SIGNS.some((sign) => sign.test(shown))
}
