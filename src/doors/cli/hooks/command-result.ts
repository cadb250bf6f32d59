import { hidesExitCode } from '../../../shared/command-line.ts'
import { failsToRead, isReading, terminalText } from '../../../text/command-output.ts'
import type { CommandRun } from './agents.ts'

/**
 * Cuts for text that is redacted later. Redaction recognises a secret by its beginning, its length or the name before
 * it, so half a secret would pass. These cuts drop everything that may belong to a secret at the cut.
 */

/** A secret with spaces, such as a phrase, is shorter than this. */
const LONGEST_PHRASE = 200
const ELLIPSIS = '…'

/** The beginning up to a line end. A line that fills more than half of it ends at a space or a quote instead. */
function upToABreak(text: string, most: number): string {
  const start = text.slice(0, most)
  const lineEnd = start.lastIndexOf('\n')
  if (lineEnd >= most / 2) return start.slice(0, lineEnd)
  const sure = start.slice(0, Math.max(0, most - LONGEST_PHRASE))
  return sure.replace(/[^\s"'`]+$/, '').toWellFormed()
}

/** Kubernetes writes the kind of an object behind its data, and tools that sort names the type of a web key behind `d`. */
const SECRET_BEFORE = /\bkind\\?["']?: {0,4}\\?["']?secret\b/i
const KEY_BEFORE = /["']kty\\?["']/
/** Redaction reads as far from such a word. */
const READ_AHEAD = 20_000

const KIND = /\bkind\\?["']?:/g
const DATA = /(?<![\w.-])(?:stringData|data)\\?["']?:/

/** Without the values that are secret because of a word behind the cut. */
function wholeStart(text: string, most: number): string {
  const start = upToABreak(text, most)
  const ahead = text.slice(start.length, start.length + READ_AHEAD)
  const object = SECRET_BEFORE.test(ahead) ? ([...start.matchAll(KIND)].at(-1)?.index ?? 0) : start.length
  const data = start.slice(object).search(DATA)
  const key = KEY_BEFORE.test(ahead) ? start.lastIndexOf('{') : -1
  return start.slice(0, Math.min(data < 0 ? start.length : object + data, key < 0 ? start.length : key))
}

/** A value whose name is in the line before, one of many values below a name, a row of a table, a line of a private key. */
const MAY_CONTINUE = /^[\s>*"'`-]*(?:[\w./-]+["']?: )?\S*\s*$|\|/

/**
 * The end from a line on. The line that was cut may hold the name of a secret, so the lines that can hold its value go
 * too. Within one line nothing says where a name begins: then nothing is left.
 */
function wholeEnd(text: string, most: number): string {
  const lines = text.slice(-most).split('\n').slice(1)
  const value = lines.findIndex((line) => line.trim() !== '')
  const next = lines.findIndex((line, at) => at > value && !MAY_CONTINUE.test(line))
  return value < 0 || next < 0 ? '' : lines.slice(next).join('\n')
}

export const startToRedact = (text: string, most: number): string =>
  text.length <= most ? text : `${wholeStart(text, most)}\n${ELLIPSIS}`.trimStart()

/** The two ends of a long text. */
export function endsToRedact(text: string, most: number): string {
  if (text.length <= most) return text
  const head = Math.floor(most / 4)
  return `${wholeStart(text, head)}\n${ELLIPSIS}\n${wholeEnd(text, most - head - 3)}`
}

/** Codes of colours take more room than the text, but not this much. */
const CODES_TO_TEXT = 20

/**
 * The two ends of an output as a terminal shows it. Colours hide where a value ends, so they go before the cut; the first
 * one is only there because to read all of a huge output takes too long.
 */
export const outputToRedact = (output: string, most: number): string =>
  endsToRedact(terminalText(endsToRedact(output, most * CODES_TO_TEXT)), most)

/** How much of an output is looked at: the two ends, where tools say what went wrong. */
const LOOKED_AT = 16_000

/**
 * How lines of failing tools begin. A pipe hides the exit code (`npm test | tail`), and some agents
 * do not pass it; then these patterns decide whether the vault is asked. The vault decides whether it delivers something.
 * They say nothing about a command that only prints a text, such as a log.
 */
const SIGNS: readonly RegExp[] = [
  /^[ \t]{0,8}(?:npm ERR!|npm error|ERR_PNPM_|fatal:|panic:|Traceback \(most recent call last\)|BUILD FAILED|Segmentation fault)/m,
  /^[ \t]{0,8}(?:error(?:\[[A-Z]\d{1,5}\])?:|ERROR[: ]|FAIL(?:ED|URE)?[ :])/m,
  /^[ \t]{0,8}(?:(?:E {2}|│) {0,6})?[A-Za-z_.]{0,80}(?:Error|Exception):/m,
  /\berror TS\d{4,5}:|: \*\*\* .{1,300} Stop\.$/m,
  /: (?:command not found|No such file or directory|Permission denied)$/m,
  /\b[1-9]\d{0,5} (?:failed|failing)\b/,
]

/** The two ends of a long text. */
export function bothEnds(text: string, most: number): string {
  if (text.length <= most) return text
  const head = Math.floor(most / 4)
  return `${text.slice(0, head).toWellFormed()}\n…\n${text.slice(-(most - head - 3)).toWellFormed()}`
}

/** By the exit code; if it is hidden or unknown, by the output. */
export function hasFailed({ command, exitCode, output }: CommandRun): boolean {
  if (exitCode !== null && exitCode !== 0) return true
  if (exitCode === 0 && !hidesExitCode(command)) return false
  const shown = terminalText(bothEnds(output, LOOKED_AT))
  if (isReading(command)) return failsToRead(command, shown)
  return SIGNS.some((sign) => sign.test(shown))
}
