import { withoutTerminalCodes } from './unicode.ts'

/**
 * What a terminal, a clock and a linker write into an error, and what differs each time a program executes. Search
 * and recall read a pasted log without it, so that the log finds what its two telling lines find.
 *
 * Every pattern is linear: none repeats a group that can match in two ways.
 */

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi
/** Not the eight digits of a status code, which begin with 8 or C, or with zeroes: these name an error. */
const ADDRESS = /\b0x(?!(?:[8c][0-9a-f]{7}|0{4}[0-9a-f]{4})\b)[0-9a-f]{4,}\b/gi
/** A digest or an id: long, and digits and letters mixed, so that no word is one. */
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

/** Bars, boxes, spinners and rules made of signs. */
const DRAWING = /[─-╿▀-▟■-◿⠀-⣿]+|[=#*~_.-]{6,}>?|\[[=#> .-]{6,}\]/g

/** `file.ts:12:34`, `file.py:7`, `(12,34)`, `line 42, column 3`: the name says more than the number. */
const LINE_AND_COLUMN = /(?<=\.\w{1,8}):\d{1,6}(?::\d{1,5})?(?!\w)|(?<=\.\w{1,8})\(\d{1,6}(?:,\d{1,5})?\)/g
const SPOKEN_LINE = /\b(?:line|column|col|ln) \d{1,6}\b/gi

/** Folders whose name changes at every start. The names inside them stay. */
const TEMPORARY_FOLDER =
  /(?:\/private)?\/(?:tmp|var\/tmp|var\/folders\/[\w+-]{1,8}\/[\w+-]{1,64}\/T)\/(?:[\w.+-]{1,80}\/)*|[A-Z]:\\(?:[^\\\s]{1,80}\\){1,6}Temp\\(?:[^\\\s]{1,80}\\)*/g
const HOME_FOLDER = /(?:\/home|\/Users)\/[\w.-]{1,64}\/|[A-Z]:\\Users\\[^\\\s]{1,64}\\/g

const NOISE: readonly RegExp[] = [
  UUID,
  ADDRESS,
  DATE_AND_TIME,
  SYSLOG_DATE,
  CLOCK,
  DIGEST,
  TEMPORARY_FOLDER,
  HOME_FOLDER,
  LINE_AND_COLUMN,
  SPOKEN_LINE,
  PROCESS_ID,
  DURATION,
  PERCENT,
  BYTES,
  DRAWING,
]

/** Patterns look at a line; a longer one is data, not a message. */
const LONGEST_LINE = 2000
/** Frames of a stack that say where it broke; the rest say how the program is built. */
const FRAMES_KEPT = 3

const FRAME =
  /^\s*(?:at .{1,500}[):\d]$|at [\w$.<>[\] ]{1,200}$|File ".{1,300}", line|from .{1,300}:\d+:in |#\d{1,3} |\d{1,4}: 0x|goroutine \d|\.\.\. \d{1,4} more)/
const FOREIGN_FRAME =
  /node:internal|node_modules|site-packages|dist-packages|\/lib\/python|java\.base\/|sun\.reflect|\.cargo\/registry|\/rustc\//

export const isStackFrame = (line: string): boolean => FRAME.test(line)

/** The time stands within this many characters of the beginning of a log line. */
const STAMP_WITHIN = 60

/** Whether the line comes from a log: it begins with a time. */
export function isStamped(line: string): boolean {
  const beginning = line.slice(0, STAMP_WITHIN)
  return [DATE_AND_TIME, CLOCK, SYSLOG_DATE].some((pattern) => beginning.search(pattern) >= 0)
}

/** What a terminal shows of a line: text after a carriage return replaces the text before it. */
function shownOf(line: string): string {
  const end = line.endsWith('\r') ? line.length - 1 : line.length
  const from = line.lastIndexOf('\r', end - 1)
  return line.slice(from + 1, end)
}

/** `docker build` writes the step and the seconds before each line of a program: as if it were a frame of a stack. */
const STEP_OF_A_BUILD = /^#\d{1,4} (?:\d{1,6}\.\d{1,3} |(?=ERROR: ))/

/** The lines of a text as a terminal shows them, without colours, what was written over, and the steps of a build. */
export const terminalLines = (text: string): string[] =>
  withoutTerminalCodes(text)
    .split('\n')
    .map((line) => shownOf(line).replace(STEP_OF_A_BUILD, ''))

/** A text as a terminal shows it. */
export const terminalText = (text: string): string => terminalLines(text).join('\n')

/** A line without what changes each time. */
export function cleanLine(line: string): string {
  let clean = line.length > LONGEST_LINE ? line.slice(0, LONGEST_LINE) : line
  for (const pattern of NOISE) clean = clean.replace(pattern, ' ')
  return clean.replace(/[ \t]+/g, ' ').trim()
}

/**
 * A text without what changes each time: terminal codes, progress bars, times, addresses, ids, temporary folders, line
 * numbers, repeated lines and all but the first frames of a stack. Names of errors, messages, codes, packages, versions
 * and files stay. A text in which nothing is noise comes back as it is, but for its blanks.
 */
export function withoutNoise(text: string): string {
  const kept: string[] = []
  const seen = new Set<string>()
  // A log repeats lines, empty ones most of all, and to clean one takes sixteen patterns.
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

/** Whether a piece of text is what a program wrote when it failed. */
export const looksLikeTrace = (text: string): boolean => TRACE_LINE.test(text)

export type CommandReport = { command?: string; exitCode?: number; output: string }

/** How a command, its exit code and its output are sent as one text. */
export const commandText = ({ command, exitCode, output }: CommandReport): string =>
  [
    ...(command === undefined ? [] : [`$ ${command.replaceAll('\n', ' ')}`]),
    ...(exitCode === undefined ? [] : [`exit code ${exitCode}`]),
    output,
  ].join('\n')

const EXIT_CODE =
  /^\W{0,3}(?:process )?(?:exited with |exit(?:ed)? )?(?:exit )?(?:code|status)[ :=]{1,3}(-?\d{1,10})\b/i

/** The same read back; other spellings of the exit code are known too, where they begin the text or end it. */
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

/**
 * Commands that only print texts. The hooks ask the vault by these rules, and recall answers by them. Nothing here knows
 * the server: it runs on the person's machine too.
 */

/** Programs that print a text which is already there: an error in it is not theirs. */
const READERS = new Set(
  [
    'awk bat batcat cat column cut diff echo egrep fgrep find fold gawk grep head jq less ls more nl',
    'printf rg sed sort strings tac tail tree uniq wc yq zcat',
  ].flatMap((names) => names.split(' ')),
)
/** They print nothing. */
const SILENT = new Set(['', 'cd', 'export', 'pwd', 'set', 'sleep', 'true'])
const READING_GIT = /^(?:-C \S+ |--no-pager )*(?:blame|diff|grep|log|ls-files|show|status)\b/

/** Up to the quote that closes it, if there is one: a search for what is closed would begin anew at each escaped quote. */
const QUOTED = /"(?:[^"\\$`]|\\.)*("?)/g

/** Signs in quotes join no commands. Between double quotes a command may stand, so these stay. */
const withoutQuoted = (command: string): string =>
  command.replace(/'[^']*'/g, '_').replace(QUOTED, (whole, closing) => (closing === '' ? whole : '_'))

function onlyReads(part: string): boolean {
  const words = part.trim().replace(/^(?:\w+=\S* +)*(?:xargs(?: +-\S+)* +)?/, '')
  const [program = '', ...rest] = words.split(/\s+/)
  if (program === 'git') return READING_GIT.test(rest.join(' '))
  if (rest.some((word) => /^-(?:exec|ok)/.test(word))) return false
  return READERS.has(program) || SILENT.has(program)
}

/** Whether a command does nothing but print texts, as `cat CHANGELOG.md | head` does. In doubt it does more. */
export function isReading(command: string): boolean {
  const plain = withoutQuoted(command).replace(/\d?>&\d/g, '')
  return !/[`"']|\$\(|<\(/.test(plain) && plain.split(/\|\|?|&&?|;|\n/).every(onlyReads)
}

/** `cat: notes.md: No such file or directory`, also with the name of a shell before it. */
const OWN_ERROR = /^(?:\S+: (?:line )?\d{1,5}: )?(\w{1,20}): /

/** A reading command fails with its own words, and then there is seldom anything before them. */
export function failsToRead(command: string, shown: string): boolean {
  if (/^fatal: /.test(shown)) return /\bgit\b/.test(command)
  return READERS.has(OWN_ERROR.exec(shown)?.[1] ?? '')
}
