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

/** Returns the beginning without values that a word behind the cut makes secret. */
function wholeStart(text: string, most: number): string {
  const start = upToABreak(text, most)
  const ahead = text.slice(start.length, start.length + READ_AHEAD)
  const object = SECRET_BEFORE.test(ahead) ? ([...start.matchAll(KIND)].at(-1)?.index ?? 0) : start.length
  const data = start.slice(object).search(DATA)
  const key = KEY_BEFORE.test(ahead) ? start.lastIndexOf('{') : -1
  return start.slice(0, Math.min(data < 0 ? start.length : object + data, key < 0 ? start.length : key))
}

const MAY_CONTINUE = /^[\s>*"'`-]*(?:[\w./-]+["']?: )?\S*\s*$|\|/

/** Returns the end from a whole line on, without lines that may hold the value of a cut name. */
function wholeEnd(text: string, most: number): string {
  const lines = text.slice(-most).split('\n').slice(1)
  const value = lines.findIndex((line) => line.trim() !== '')
  const next = lines.findIndex((line, at) => at > value && !MAY_CONTINUE.test(line))
  return value < 0 || next < 0 ? '' : lines.slice(next).join('\n')
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

/** Removes colour codes before the cut, because they hide where a value ends. */
export const outputToRedact = (output: string, most: number): string =>
  endsToRedact(terminalText(endsToRedact(output, most * CODES_TO_TEXT)), most)

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
