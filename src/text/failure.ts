import {
  cleanLine,
  isStackFrame,
  isStamped,
  printedLine,
  readCommandText,
  terminalLines,
} from './command-output.ts'
import { fnv1a } from './term-hash.ts'

/** Must not import server code: this also runs on the user's machine. */

const MAX_LINE_LENGTH = 600
const LINES_FROM_AN_END = 600
const MAX_TELLING_LINES = 6

/** Error names and codes as programs print them; `throw new Error(` is source code. */
const NAMED = new RegExp(
  [
    String.raw`(?:Error|Exception|Fault)(?=:|\s*$|\]| \[|, )`,
    String.raw`\bException in\b`,
    String.raw`\berror(?:\[|:? )[A-Z]{1,4}\d{2,5}\b`,
    String.raw`\b(?:E(?:ACCES|ADDRINUSE|ADDRNOTAVAIL|AGAIN|BADENGINE|BADF|BUSY|CONN[A-Z]{5,8}|EXIST|HOSTUNREACH|INTEGRITY|INVAL|IO|ISDIR|LIFECYCLE|LOOP|MFILE|NAMETOOLONG|NETUNREACH|NFILE|NOENT|NOMEM|NOSPC|NOTDIR|NOTEMPTY|NOTFOUND|NOTSUP|OTP|PERM|PIPE|PROTO|RESOLVE|ROFS|SRCH|TARGET|TIMEDOUT|USAGE|XDEV|[45]\d\d)|ERROR|FATAL)\b(?![-./])`,
    String.raw`\b(?:[A-Z]{2,12}_)?ERR(?:OR)?_[A-Z_]{3,60}\b|\b[A-Z]{2,5}-\d{4,6}\b`,
    String.raw`\b(?:panic|fatal|panicked)(?::| at\b)|\bERR!`,
    String.raw`: \*\*\* .{1,300} Stop\.$`,
    String.raw`\bterminate called after throwing\b|^\s*what\(\):|^WARNING: (?:DATA RACE|ThreadSanitizer:)`,
  ].join('|'),
)
const SAYS_ERROR = /(?<![\w/.-])(?:errors?|fatal|panic(?:ked)?|fail(?:ed|ure|s)?)(?![\w/-]|\.\w)|\bERR!/i
export const SAYS_WRONG =
  /\b(?:cannot|can't|couldn't|could not|unable to|not found|no such|denied|refus(?:ed|es|ing)|invalid|unexpected|undefined|missing|conflict|killed|exceeded|unsupported|unknown|expired|mismatch|duplicate|inconsistent|unmet|already (?:in use|exists?|allocated|taken|defined|running)|out of memory|deadlock|aborted|forbidden|unauthorized|rejected|crash(?:ed|es)?|timed out|timeout|not a|is not|does not|doesn't|isn't|must be|must not|not allowed|not permitted|is disabled|(?:is|are) required|unresolved|unreachable|overflow|corrupt(?:ed)?|too (?:many|large|long|low|old|open|small)|no space|not defined|not recognized|not supported|not installed|not set|core dumped|segmentation fault|illegal|violates|incompatible|broken pipe|reset by peer|no matching|nothing to)\b/i
const FINE =
  /\b(?:0|no|zero|without) (?:errors?|failures?|failed|problems?|warnings?|vulnerabilities)\b|\b(?:errors?|failed|failures?): ?0\b|^\s*(?:✓|✔|√|ok\b|PASS\b)/i
const WARNING = /\b(?:warn(?:ing)?|deprecated)\b/i
const SAYS_ERROR_FIRST = /\berror:/i
/** Refers to earlier errors, so it is the reason only if nothing else is. */
const POINTS_BACK =
  /\bwarnings being treated as errors\b|\bwarnings (?:found and|can be incurred under) -Werror\b|\bdue to (?:\d+ )?previous errors?\b/i
const SUMMARY = new RegExp(
  [
    String.raw`^\s*(?:Traceback \(most|(?:Error|failures?|errors?):?\s*$|exit(?:ed)? (?:code|status))`,
    String.raw`^\s*npm (?:error|ERR!)\s*$`,
    String.raw`^\s*npm (?:error|ERR!) (?:A complete log|Lifecycle script|command (?:failed|sh)|path|workspace|errno|syscall|\s*\S*[/\\]_logs[/\\])`,
    String.raw`^\s*\[ERROR\]\s*(?:$|To see the full stack trace|Re-run Maven|For more information about the errors|\[Help \d)`,
    String.raw`^\s*(?:make|ninja|gmake)(?:\[\d+\])?: (?:\*\*\* (?:\[|Waiting)|.{0,200} stopped)`,
    String.raw`^\s*(?:Found |[×✖] )?\d+ (?:failed|failing|errors?|problems?)\b`,
    String.raw`\bcommand failed with exit code\b|\bELIFECYCLE\b|\bprocess completed with exit code\b`,
    String.raw`^\s*(?:FAIL|FAILED|BUILD FAILED)\s*$`,
  ].join('|'),
  'i',
)
export const saysFailure = (text: string): boolean => SAYS_ERROR.test(text) || NAMED.test(text)

/** Container name, `##` of a pipeline, and brackets with a time or thread. */
const BEFORE_LEVEL = String.raw`^\s*(?:[\w.-]{1,60}\s{0,20}\|\s{0,4})?(?:##)?(?:\[[^\]]{1,60}\]\s{0,4}){0,3}`
/** Log levels without failure. Elsewhere DEBUG may be a setting and debug a folder or package. */
const QUIET_LEVELS = [
  new RegExp(String.raw`${BEFORE_LEVEL}(?<level>[[(<]?\s{0,2}(?:INFO|DEBUG|TRACE)(?=[\s:|\])>/-]|$))`),
  new RegExp(
    String.raw`${BEFORE_LEVEL}(?<level>\[\s{0,2}(?:info|debug|trace)\s{0,2}\]|(?:info|debug|trace):(?=\s|$)|(?:npm )?info\s)`,
    'i',
  ),
  /(?<level>(?<![\w-])level="?(?:info|debug|trace)\b|"level": ?"(?:info|debug|trace)")/i,
]
const STAMPED_LEVEL =
  /\b(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|SEVERE|CRITICAL|FATAL)\b|\[(?:trace|debug|info|notice|warn(?:ing)?|error|crit|alert|emerg|fatal)\]/
const LEVEL_WITHIN = 120
const IS_QUIET = /TRACE|DEBUG|INFO/i

function quietLevelAt(line: string): number {
  for (const pattern of QUIET_LEVELS) {
    const found = pattern.exec(line)
    if (found) return found.index + found[0].length - (found.groups?.level?.length ?? 0)
  }
  const stamped = isStamped(line) ? STAMPED_LEVEL.exec(line.slice(0, LEVEL_WITHIN)) : null
  return stamped && IS_QUIET.test(stamped[0]) ? stamped.index : -1
}

function isQuiet(line: string): boolean {
  const at = quietLevelAt(line)
  return at >= 0 && !saysFailure(line.slice(0, at))
}

/** A warning may be the reason if nothing else is. A compiler's `error:` in front wins. */
function warns(line: string): boolean {
  const at = line.search(WARNING)
  return at >= 0 && !SAYS_ERROR_FIRST.test(line.slice(0, at))
}

const ASIDE = 0.5

function weightOf(line: string): number {
  if (line.length > MAX_LINE_LENGTH || isStackFrame(line)) return 0
  const [saysError, saysWrong] = [SAYS_ERROR.test(line), SAYS_WRONG.test(line)]
  const isNamed = NAMED.test(line)
  if (!saysError && !saysWrong && !isNamed) return 0
  if (FINE.test(line) || isQuiet(line)) return 0
  if (SUMMARY.test(line)) return 0
  if (POINTS_BACK.test(line) || (warns(line) && !isNamed)) return ASIDE
  return Number(saysError) + Number(saysWrong) + 2 * Number(isNamed)
}

type Line = { text: string; weight: number; at: number }
type CleanLine = Line & { printed: string }

/** A line announces a reason: `Could not resolve dependency:`, or any line before one that begins with `> `. */
const ANNOUNCES = /:\s*$/
const IS_REASON = /^\s*> \S/

const mayTell = ({ text, weight }: Line): boolean =>
  weight === 0 &&
  text.length <= MAX_LINE_LENGTH &&
  !isStackFrame(text) &&
  !SUMMARY.test(text) &&
  !isQuiet(text)

function withReasons(lines: readonly Line[]): Line[] {
  let [before, isAnnounced] = [0, false]
  return lines.map((line) => {
    if (line.text.trim() === '') return line
    const isReason = before > ASIDE && (isAnnounced || IS_REASON.test(line.text)) && mayTell(line)
    const weighed = isReason ? { ...line, weight: before } : line
    before = weighed.weight
    isAnnounced = ANNOUNCES.test(line.text)
    return weighed
  })
}

function weighedLines(output: string): Line[] {
  const all = terminalLines(output)
  const isLong = all.length > 2 * LINES_FROM_AN_END
  const lines = isLong ? [...all.slice(0, LINES_FROM_AN_END), ...all.slice(-LINES_FROM_AN_END)] : all
  return withReasons(lines.map((text, at) => ({ text, weight: weightOf(text), at })))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || a.at - b.at)
}

function cleaned(lines: readonly Line[], most: number): CleanLine[] {
  const kept = new Map<string, CleanLine>()
  for (const line of lines) {
    if (kept.size >= most) break
    const text = cleanLine(line.text)
    if (/\p{L}/u.test(text) && !SUMMARY.test(text) && !kept.has(text))
      kept.set(text, { ...line, text, printed: printedLine(line.text) })
  }
  return [...kept.values()]
}

const tellingAmong = (lines: readonly Line[]): Line[] => lines.filter(({ weight }) => weight > ASIDE)

const inOrder = (lines: readonly CleanLine[]): CleanLine[] => lines.toSorted((a, b) => a.at - b.at)
const textsOf = (lines: readonly CleanLine[]): string[] => inOrder(lines).map(({ text }) => text)

const LAST_LINES = 3

function lastLines(output: string): CleanLine[] {
  const lines = terminalLines(output.slice(-2 * LAST_LINES * MAX_LINE_LENGTH))
    .map((text, at) => ({ text: text.slice(0, MAX_LINE_LENGTH), weight: 0, at }))
    .filter(({ text }) => !isStackFrame(text))
  return cleaned(lines.reverse(), LAST_LINES)
}

const SURELY_FAILED = 2
const BEGINS_AS_ERROR = /^\s{0,8}error: /

const isSure = ({ text, weight }: Line): boolean => weight >= SURELY_FAILED || BEGINS_AS_ERROR.test(text)

type Failure = {
  /** Decided by the exit code, if there is one. */
  isFailure: boolean
  command: string | undefined
  lines: string[]
  /** The same lines for people: with their dates and numbers. */
  printed: string[]
  signature: string
}

export function readFailure(text: string): Failure {
  const { command, exitCode, output } = readCommandText(text)
  const weighed = exitCode === 0 ? [] : weighedLines(output)
  const isFailure = exitCode === undefined ? weighed.some(isSure) : exitCode !== 0
  if (!isFailure) return { isFailure, command, lines: [], printed: [], signature: '' }
  const telling = cleaned(tellingAmong(weighed), MAX_TELLING_LINES)
  const chosen = telling.length > 0 ? telling : [...cleaned(weighed, LAST_LINES), ...lastLines(output)]
  return {
    isFailure,
    command,
    lines: textsOf(chosen),
    printed: inOrder(chosen).map(({ printed }) => printed),
    signature: signatureOf(chosen.slice(0, SIGNED_LINES).map(({ text }) => text)),
  }
}

export const tellingLines = (text: string): string[] => readFailure(text).lines

/** Returns the telling lines as they were printed. */
export const printedLines = (text: string): string[] => readFailure(text).printed

/** Returns lines for a search by text: also reasons that do not say that something failed. */
export function linesOfWrong(text: string): string[] {
  const { lines } = readFailure(text)
  return lines.length > 0 ? lines : textsOf(cleaned(tellingAmong(weighedLines(text)), MAX_TELLING_LINES))
}

/** Returns a hash that stays the same for the same error; empty if the text is not a failure. */
export const failureSignature = (text: string): string => readFailure(text).signature

const SIGNED_LINES = 2
/** A number matters only in a name, as a version or after "code". */
const LOOSE_NUMBER =
  /(?<!\b(?:http|status|code|error|errno) )(?<![\p{L}\p{N}_.@-])\d+(?:[.,:]\d+)*(?![\p{L}\p{N}_])/giu
const VERSION = /^\d+\.\d+\.\d+$/

export const withoutLooseNumbers = (line: string): string =>
  line.replace(LOOSE_NUMBER, (number) => (VERSION.test(number) ? number : ' '))

const SECOND_SEED = 0x5f3759df

const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, '0')

function signatureOf(lines: readonly string[]): string {
  const signed = lines
    .map((line) => withoutLooseNumbers(line).toLowerCase().split(/\s+/).join(' ').trim())
    .filter((line) => line !== '')
    .join('\n')
  return signed === '' ? '' : `${hex(fnv1a(signed))}${hex(fnv1a(signed, SECOND_SEED))}`
}
