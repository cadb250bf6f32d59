import type { Changes } from './changes.ts'
import { readCommand } from './command-line.ts'
import { isNamedIn, SETTINGS_FILE, TEST_FILE } from './named-files.ts'
import { areTestsRemoved } from './removed-tests.ts'
import { baseName, type CommandStep } from './session.ts'

/**
 * Why a failure followed by a success is not a lesson. Each rule knows one way in which a pair looks like a fix and is
 * not one; bench/eval-mining.ts has transcripts of each.
 */

/** Programs whose exit code is an answer. */
const ASKING =
  /^(?:grep|egrep|fgrep|rg|ag|ack|diff|cmp|test|\[|\[\[|which|command|type|pgrep|ls|stat|find|cat|head|tail|wc|file|readlink|jq|expr|false|ping|nc|lsof|curl|wget|man|git (?:diff|grep|status|show-ref|merge-base|rev-parse|ls-files|log|show|commit|add|tag|branch|stash|checkout|switch|merge|rebase|cherry-pick|apply)|gh|kill|docker inspect|systemctl is-active|crontab|(?:npm|pnpm|yarn|pip|cargo|bundle) (?:audit|outdated|ls|list|view|info|why|show))(?:\s|$)/
const CHECKS_FORMAT =
  /\b(?:prettier|black|isort|rustfmt|gofmt|clang-format|autopep8|shfmt)\b|\b(?:cargo|deno|terraform|mix|dart) (?:fmt|format)\b|\b(?:biome|ruff|dprint) (?:format|fmt)\b|\bformat:check\b|\blint-staged\b/
const SAYS_FORMAT =
  /would (?:be )?reformat|Code style issues|Formatter would have printed|not formatted|run prettier|needs? formatting/i

/** The person answered no to a question of the program. */
const DECLINED =
  /\b(?:aborted|cancel(?:l)?ed|declined|rejected|interrupted|stopped) by (?:the )?user\b|\buser (?:aborted|cancel(?:l)?ed|declined|rejected)\b|\boperation (?:was )?cancel(?:l)?ed\b|\bKeyboardInterrupt\b|\^C/i

const isQuestion = (command: string): boolean => {
  const { parts, isTolerated } = readCommand(command)
  const last = parts.at(-1) ?? ''
  return isTolerated || last === '' || ASKING.test(last.replace(/^! /, '')) || /^! /.test(last)
}

const isFormatCheck = (command: string, lines: string) =>
  CHECKS_FORMAT.test(command.slice(0, 500)) || SAYS_FORMAT.test(lines)

const EXPECTED =
  /\b(?:expected (?:to fail|failure)|(?:should|must|will|to) fail (?:first|now|for now|until|at first|before)|fail(?:s|ed|ing)?,? as (?:expected|intended|planned)|as expected,? (?:it|the tests?|this) fail\w{0,3}|meant to fail|supposed to fail|failing tests? first|tests? first|red[- ]green|red phase|\bTDD\b|watch it fail|(?:confirm|verify|check|see|prove)(?:ing|s)? (?:that )?(?:the |it |this |these |they )?(?:new )?(?:tests? )?fails?\b|xfail|intentional(?:ly)? (?:fail|break|broke)\w{0,4}|on purpose|deliberate(?:ly)?)/i

const ASSERTION =
  /\bAssertionError\b|\bassert(?:ion)?\b|\bexpected\b|\btoEqual\b|\btoBe\b|\bnot implemented\b|\bNotImplementedError\b|\bis not a function\b|\bhas no (?:attribute|export)\w{0,20}\b/i
const COMPILE_SLIP =
  /\bSyntaxError\b|\bIndentationError\b|\bNameError\b|\berror TS(?:1\d{3}|2304|2552|2322|2339|2345|2551|2554|6133|7006|18048)\b|\bUnexpected token\b|\bis not defined\b|\bundefined: \w|\bcannot find symbol\b|\berror\[E0(?:425|308|382|433|599)\]|\bexpected (?:`;`|';')|\bno-unused-vars\b|\bParse error\b|\bUnterminated\b/i

/** Errors of simple mistakes in the executed code; none of them names a library. */
const RUNTIME_SLIP =
  /\b(?:TypeError|ReferenceError|AttributeError|KeyError|IndexError|ValueError|UnboundLocalError|NullPointerException|IndexOutOfBoundsException)\b|\bindex out of range\b|\bnil pointer\b/
const CHECKS_CODE =
  /\b(?:eslint|clippy|ruff|flake8|pylint|mypy|pyright|tsc|typecheck|lint|shellcheck|golangci-lint|biome|svelte-check|vet)\b/

const TRANSIENT =
  /\bETIMEDOUT\b|\bECONNRESET\b|\bEAI_AGAIN\b|\bsocket hang up\b|\b(?:502 Bad Gateway|503 Service|504 Gateway|429 Too Many)|\bTemporary failure in name resolution\b|\brate limit\w{0,4}\b|\bremote end hung up\b|\bTLS handshake timeout\b|\bConnection reset by peer\b|\bnetwork (?:timeout|is unreachable)\b|\bCould not resolve host\b|\bRead timed out\b|\boverloaded\b/i
const TIMING =
  /\btimed? ?out\b|\btimeout of\b|\bexceeded timeout\b|\bdeadline exceeded\b|\bflaky\b|\brace\b|\bETXTBSY\b|\bresource temporarily unavailable\b|\bdetached\b|\bstale element\b|\bdatabase is locked\b/i

const PROSE_FILE = /\.(?:md|mdx|rst|adoc|txt)$|(?:^|[/\\])(?:LICENSE|CHANGELOG|AUTHORS|README)[^/\\]{0,20}$/i
/** How much of the end of an output is searched for the reason. */
const ENDS_WITH = 2000
/** How much of an output is searched for file names. */
const LOOKED_AT = 20_000

export type Failure = {
  step: CommandStep
  /** The telling lines. */
  lines: readonly string[]
  /** What the person and the agent said around it. */
  said: string
  /** Files that were edited in the session before the failure, or in the same exchange if the order is unknown. */
  editedBefore: readonly string[]
}

export type Excuse =
  | 'question'
  | 'silent'
  | 'declined'
  | 'formatting'
  | 'expected'
  | 'own test'
  | 'own slip'
  | 'transient'
  | 'nothing changed'
  | 'prose only'
  | 'unrelated'
  | 'taken back'
  | 'test removed'

/** Reasons that are known when the command fails. */
export function excuseOf({ step, lines, said, editedBefore }: Failure): Excuse | undefined {
  const text = lines.join('\n')
  if (isQuestion(step.command)) return 'question'
  if (lines.length === 0) return 'silent'
  if (DECLINED.test(text) || DECLINED.test(step.output.slice(-ENDS_WITH))) return 'declined'
  if (isFormatCheck(step.command, text)) return 'formatting'
  if (EXPECTED.test(said) || /\bXFAIL\b|expected failure/i.test(text)) return 'expected'
  if (TRANSIENT.test(text) || TRANSIENT.test(step.output.slice(-ENDS_WITH))) return 'transient'
  const low = `${text}\n${step.output.slice(0, LOOKED_AT)}`.toLowerCase()
  const ownTests = editedBefore.filter((file) => TEST_FILE.test(file))
  if (ASSERTION.test(text) && ownTests.some((file) => isNamedIn(low, file))) return 'own test'
  return undefined
}

const SAYS_TAKEN_BACK =
  /\b(?:revert(?:ed|ing)|put (?:it|that|this|them) back|undid|undone|roll(?:ed|ing)? back|took (?:it|that) back)\b/i

/** A captured turn does not show that an edit was reverted; the agent may say so. */
export const isSaidTakenBack = (report: string, changes: Changes): boolean =>
  changes.commands.length === 0 && SAYS_TAKEN_BACK.test(report)

/** Reasons that are known when the command succeeds: whether the changes in between can have fixed it. */
export function doubtOf(
  { step, lines, editedBefore }: Failure,
  changes: Changes,
  success: CommandStep,
): Excuse | undefined {
  if (changes.files.length + changes.commands.length === 0) return 'nothing changed'
  const outputs = { failing: step.output.slice(0, LOOKED_AT), passing: success.output.slice(-LOOKED_AT) }
  if (areTestsRemoved(outputs, changes)) return 'test removed'
  const text = lines.join('\n')
  const low = [text, step.command, step.output.slice(0, LOOKED_AT)].join('\n').toLowerCase()
  const isNamed = (file: string) => isNamedIn(low, file)
  const code = changes.files.filter((file) => !PROSE_FILE.test(file) || isNamed(file))
  if (code.length + changes.commands.length === 0) return 'prose only'
  const isMachine = changes.commands.length > 0 || code.some((file) => SETTINGS_FILE.test(file))
  if (TIMING.test(text) && !isMachine && !code.some(isNamed)) return 'unrelated'
  const before = new Set(editedBefore.map(baseName))
  const isOwn = code.every((file) => before.has(baseName(file)))
  const isSlip = COMPILE_SLIP.test(text) || RUNTIME_SLIP.test(text) || CHECKS_CODE.test(step.command)
  if (isSlip && !isMachine && isOwn) return 'own slip'
  return undefined
}
