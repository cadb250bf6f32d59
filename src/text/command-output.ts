import { withoutTerminalCodes } from './unicode.ts'

/** Every pattern must be linear: no group repeats that can match in two ways. */

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi
/** Excludes eight-digit status codes (beginning with 8, C or zeroes), which name an error. */
const ADDRESS = /\b0x(?!(?:[8c][0-9a-f]{7}|0{4}[0-9a-f]{4})\b)[0-9a-f]{4,}\b/gi
const DIGEST = /\b(?=[0-9a-f]{0,63}\d)(?=[0-9a-f]{0,63}[a-f])[0-9a-f]{12,64}\b/gi

const DATE_AND_TIME =
  /\b\d{4}[-/]\d{2}[-/]\d{2}(?:[T ]\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?(?![\w-])/g
const CLOCK = /(?<![\w:.])\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?![\w:])/g
const SYSLOG_DATE =
  /\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2}(?:,? \d{4})?(?= \d|,|\s|$)/g

const DURATION = /\b\d+(?:\.\d+)?(?:ns|µs|us|ms|s|sec|secs|seconds|min|mins|minutes)\b/g
const PERCENT = /(?<![\w.])\d{1,3}(?:\.\d+)?%/g
const BYTES = /(?<![\w.])\d+(?:\.\d+)? ?(?:[kKMGT]i?B(?:\/s)?|bytes|B\/s)(?!\w)/g
const PROCESS_ID = /\b(?:pid|PID|process)[ =:]{0,2}\d{2,7}\b|\[\d{3,7}\](?=[:\s]|$)/g

const DRAWING = /[─-╿▀-▟■-◿⠀-⣿]+|[=#*~_.-]{6,}>?|\[[=#> .-]{6,}\]/g

/** Matches `file.ts:12:34`, `file.py:7`, `(12,34)`, `line 42, column 3`. */
const LINE_AND_COLUMN = /(?<=\.\w{1,8}):\d{1,6}(?::\d{1,5})?(?!\w)|(?<=\.\w{1,8})\(\d{1,6}(?:,\d{1,5})?\)/g
const SPOKEN_LINE = /\b(?:line|column|col|ln) \d{1,6}\b/gi

const TEMPORARY_FOLDER =
  /(?:\/private)?\/(?:tmp|var\/tmp|var\/folders\/[\w+-]{1,8}\/[\w+-]{1,64}\/T)\/(?:[\w.+-]{1,80}\/)*|[A-Z]:\\(?:[^\\\s]{1,80}\\){1,6}Temp\\(?:[^\\\s]{1,80}\\)*/g
const HOME_FOLDER = /(?:\/home|\/Users)\/[\w.-]{1,64}\/|[A-Z]:\\Users\\[^\\\s]{1,64}\\/g

/** Left out without a blank, because a path goes on behind them. */
const FOLDERS: readonly RegExp[] = [TEMPORARY_FOLDER, HOME_FOLDER]

const NOISE: readonly RegExp[] = [
  UUID,
  ADDRESS,
  DATE_AND_TIME,
  SYSLOG_DATE,
  CLOCK,
  DIGEST,
  LINE_AND_COLUMN,
  SPOKEN_LINE,
  PROCESS_ID,
  DURATION,
  PERCENT,
  BYTES,
  DRAWING,
]

const MAX_LINE_LENGTH = 2000
const FRAMES_KEPT = 3

const FRAME =
  /^\s*(?:at .{1,500}[):\d]$|at [\w$.<>[\] ]{1,200}$|File ".{1,300}", line|from .{1,300}:\d+:in |#\d{1,3} |\d{1,4}: 0x|goroutine \d|\.\.\. \d{1,4} more)/
const FOREIGN_FRAME =
  /node:internal|node_modules|site-packages|dist-packages|\/lib\/python|java\.base\/|sun\.reflect|\.cargo\/registry|\/rustc\//

export const isStackFrame = (line: string): boolean => FRAME.test(line)

const STAMP_WITHIN = 60

export function isStamped(line: string): boolean {
  const beginning = line.slice(0, STAMP_WITHIN)
  return [DATE_AND_TIME, CLOCK, SYSLOG_DATE].some((pattern) => beginning.search(pattern) >= 0)
}

/** Returns what a terminal shows: text after a carriage return replaces the text before. */
function shownOf(line: string): string {
  const end = line.endsWith('\r') ? line.length - 1 : line.length
  const from = line.lastIndexOf('\r', end - 1)
  return line.slice(from + 1, end)
}

/** `docker build` writes step and seconds before each line. */
const STEP_OF_A_BUILD = /^#\d{1,4} (?:\d{1,6}\.\d{1,3} |(?=ERROR: ))/

/** Returns the lines as a terminal shows them, without colours and build steps. */
export const terminalLines = (text: string): string[] =>
  withoutTerminalCodes(text)
    .split('\n')
    .map((line) => shownOf(line).replace(STEP_OF_A_BUILD, ''))

export const terminalText = (text: string): string => terminalLines(text).join('\n')

export function cleanLine(line: string): string {
  let clean = withoutFolders(line)
  for (const pattern of NOISE) clean = clean.replace(pattern, ' ')
  return clean.replace(/[ \t]+/g, ' ').trim()
}

function withoutFolders(line: string): string {
  let plain = line.length > MAX_LINE_LENGTH ? line.slice(0, MAX_LINE_LENGTH) : line
  for (const pattern of FOLDERS) plain = plain.replace(pattern, '')
  return plain
}

/** Returns a line for people: its numbers, dates and names stay, without drawings and folders of the person. */
export const printedLine = (line: string): string =>
  withoutFolders(line)
    .replace(DRAWING, ' ')
    .replace(/[ \t]+/g, ' ')
    .trim()

/** Returns a line without a date or clock in front. */
export function withoutStamp(line: string): string {
  for (const pattern of [DATE_AND_TIME, SYSLOG_DATE, CLOCK]) {
    const at = line.search(pattern)
    const [stamp = ''] = line.match(pattern) ?? []
    if (at >= 0 && at < 2) return line.slice(at + stamp.length).replace(/^[\s[\]():,-]+/, '')
  }
  return line
}

export function withoutNoise(text: string): string {
  const kept: string[] = []
  const seen = new Set<string>()
  // Skips repeated lines, because cleaning one takes sixteen patterns.
  const read = new Set<string>()
  let frames = 0
  for (const line of terminalLines(text)) {
    const isFrame = isStackFrame(line)
    if (isFrame && (frames >= FRAMES_KEPT || FOREIGN_FRAME.test(line))) continue
    if (isFrame) frames++
    if (read.has(line)) continue
    read.add(line)
    const clean = cleanLine(line)
    if (!/[\p{L}\p{N}]/u.test(clean) || seen.has(clean)) continue
    seen.add(clean)
    kept.push(clean)
  }
  return kept.join('\n')
}

const TRACE_LINE =
  /^[^\S\r\n\u2028\u2029]*(?:at \S{1,200}|File ".{1,200}", line|Traceback \(most|Caused by:|panic:|goroutine \d)|\b[A-Z]\w{1,60}(?:Error|Exception)\b|\b(?:ERROR|FATAL|WARN)\b/m

export const looksLikeTrace = (text: string): boolean => TRACE_LINE.test(text)

type CommandReport = { command?: string; exitCode?: number; output: string }

export const commandText = ({ command, exitCode, output }: CommandReport): string =>
  [
    ...(command === undefined ? [] : [`$ ${command.replaceAll('\n', ' ')}`]),
    ...(exitCode === undefined ? [] : [`exit code ${exitCode}`]),
    output,
  ].join('\n')

const EXIT_CODE =
  /^\W{0,3}(?:process )?(?:exited with |exit(?:ed)? )?(?:exit )?(?:code|status)[ :=]{1,3}(-?\d{1,10})\b/i

/** Parses `commandText`; also accepts other spellings of the exit code at the beginning or end. */
export function readCommandText(text: string): CommandReport {
  const lines = text.split('\n')
  const command = lines[0]?.startsWith('$ ') ? lines.shift()?.slice(2).trim() : undefined
  const first = EXIT_CODE.exec(lines[0] ?? '')
  if (first) lines.shift()
  const last = lines.findLast((line) => line.trim() !== '')
  const code = (first ?? EXIT_CODE.exec(last ?? ''))?.[1]
  return {
    ...(command === undefined ? {} : { command }),
    ...(code === undefined ? {} : { exitCode: Number(code) }),
    output: lines.join('\n'),
  }
}

/** Must not import server code: this also runs on the user's machine. */

/** Programs that print an existing text: an error in the text is not their own. */
const READERS = new Set(
  [
    'awk bat batcat cat column cut diff echo egrep fgrep find fold gawk grep head jq less ls more nl',
    'printf rg sed sort strings tac tail tree uniq wc yq zcat',
  ].flatMap((names) => names.split(' ')),
)
const SILENT = new Set(['', 'cd', 'export', 'pwd', 'set', 'sleep', 'true'])
const READING_GIT = /^(?:-C \S+ |--no-pager )*(?:blame|diff|grep|log|ls-files|show|status)\b/

/** Matches up to the closing quote, if any: requiring one would restart at each escaped quote. */
const QUOTED = /"(?:[^"\\$`]|\\.)*("?)/g

/** Double quotes with `$` or a backtick may contain a command and stay. */
const withoutQuoted = (command: string): string =>
  command.replace(/'[^']*'/g, '_').replace(QUOTED, (whole, closing) => (closing === '' ? whole : '_'))

function onlyReads(part: string): boolean {
  const words = part.trim().replace(/^(?:\w+=\S* +)*(?:xargs(?: +-\S+)* +)?/, '')
  const [program = '', ...rest] = words.split(/\s+/)
  if (program === 'git') return READING_GIT.test(rest.join(' '))
  if (rest.some((word) => /^-(?:exec|ok)/.test(word))) return false
  return READERS.has(program) || SILENT.has(program)
}

/** Whether a command only prints texts, as `cat CHANGELOG.md | head`. Returns false in doubt. */
export function isReading(command: string): boolean {
  const plain = withoutQuoted(command).replace(/\d?>&\d/g, '')
  return !/[`"']|\$\(|<\(/.test(plain) && plain.split(/\|\|?|&&?|;|\n/).every(onlyReads)
}

/** Matches `cat: notes.md: No such file or directory`, optionally after a shell name. */
const OWN_ERROR = /^(?:\S+: (?:line )?\d{1,5}: )?(\w{1,20}): /

/** Whether a reading command itself failed: its own error usually comes first. */
export function failsToRead(command: string, shown: string): boolean {
  if (/^fatal: /.test(shown)) return /\bgit\b/.test(command)
  return READERS.has(OWN_ERROR.exec(shown)?.[1] ?? '')
}
