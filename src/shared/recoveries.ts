import { commandText } from '../text/command-output.ts'
import { readFailure } from '../text/failure.ts'
import { withoutEnd } from '../text/unicode.ts'
import { addedCommands, readCommand } from './command-line.ts'
import {
  baseName,
  ChangeLog,
  type Changes,
  type CommandStep,
  type Edit,
  type EditStep,
  type Session,
  type Step,
} from './session.ts'

const TEST_FILE =
  /(?:^|[/\\])(?:test_[^/\\]{1,100}|[^/\\]{1,100}[._-](?:test|spec|tests)\.\w{1,5}|[^/\\]{1,100}_test\.\w{1,5}|[^/\\]{1,100}Tests?\.(?:java|kt|cs))$/

const SETTINGS_FILE =
  /\.(?:json|jsonc|ya?ml|toml|ini|cfg|conf|env|lock|properties|gradle|xml|tf|mod|sum|nix)$|(?:^|[/\\])(?:Dockerfile|Makefile|Gemfile|Procfile|\.[a-z][\w.-]{1,60}|[\w-]{1,60}\.config\.\w{1,4}|CMakeLists\.txt|requirements[\w-]{0,30}\.txt|go\.mod|conftest\.py|build\.rs|setup\.py)$/i

/** Returns true if a lower-case text names a file by its base name, with or without extension. */
function isNamedIn(text: string, file: string): boolean {
  const base = baseName(file)
  const stem = base.replace(/\.[^.]{1,12}$/, '')
  return (base.length > 2 && text.includes(base)) || (stem.length > 4 && text.includes(stem))
}

/** Looks for the test that the failing output names, because tests are also removed for good reasons. */

const FOLDER_OF_TESTS = /^(?:tests?|__tests__|specs?)$/
const REMOVES = /^(?:sudo )?(?:git )?rm /
const RENAMES = /^(?:git )?mv /
/** File endings that hide a test from its runner. */
const PUT_ASIDE = /\.(?:bak|skip(?:ped)?|disabled|off|old|orig|tmp)$/

const operandsOf = (command: string): string[] =>
  command
    .split(/\s+/)
    .slice(1)
    .map((word) => word.replace(/^["']|["']$/g, ''))
    .filter((word) => !word.startsWith('-'))

function removedBy(command: string): string[] {
  if (REMOVES.test(command)) return operandsOf(command)
  const moved = RENAMES.test(command) ? operandsOf(command) : []
  return PUT_ASIDE.test(moved.at(-1) ?? '') ? moved.slice(0, -1) : []
}

function isFailingTest(path: string, output: string): boolean {
  if (TEST_FILE.test(path)) return isNamedIn(output, path)
  const folder = baseName(withoutEnd(path, '/\\*'))
  return FOLDER_OF_TESTS.test(folder) && output.includes(`${folder}/`)
}

const SKIPPED =
  /\b(?:it|test|describe|suite|context)\.(?:skip|todo|fixme|only)\b|\bx(?:it|test|describe)\s?\(|@pytest\.mark\.(?:skip|xfail)|\bpytest\.skip\(|@unittest\.(?:skip|expectedFailure)|\bt\.Skip(?:Now|f)?\(|#\[ignore|@(?:Ignore|Disabled)\b/g
const DECLARED = /\b(?:it|test)(?:\.\w{1,20})?\s?\(|\bdef test_\w|\bfunc Test\w|#\[test\]|@Test\b/g

const count = (pattern: RegExp, text = ''): number => text.match(pattern)?.length ?? 0

function leavesTestsOut(edits: readonly Edit[]): boolean {
  let [skipped, declared] = [0, 0]
  for (const { before, after } of edits) {
    skipped += count(SKIPPED, after) - count(SKIPPED, before)
    declared += count(DECLARED, after) - count(DECLARED, before)
  }
  return skipped > 0 || declared < 0 || edits.some(({ isDeletion }) => isDeletion)
}

const EXCLUDES = /exclude|ignore|deselect|skip/i
const ALL_TESTS = /(?:^|[\s/'"*])(?:tests?|__tests__|specs?)\/\*/
const PATH = /[\w@./\\-]{3,200}/g

function isExcluded({ file, before = '', after = '' }: Edit, output: string): boolean {
  if (!SETTINGS_FILE.test(file) || !EXCLUDES.test(after)) return false
  const known = new Set(before.split('\n'))
  const added = after
    .split('\n')
    .filter((line) => !known.has(line))
    .join('\n')
    .toLowerCase()
  const failing = (output.match(PATH) ?? []).filter((path) => TEST_FILE.test(path))
  const isCovered = ALL_TESTS.test(added) && !ALL_TESTS.test(before)
  return isCovered || failing.some((path) => isNamedIn(added, path) && !isNamedIn(before.toLowerCase(), path))
}

const PASSED = /\b(\d{1,6}) (?:passed|passing)\b/g
const FAILED = /\b(\d{1,6}) (?:failed|failing)\b/g

const numbersIn = (text: string, pattern: RegExp): number[] =>
  [...text.matchAll(pattern)].map((match) => Number(match[1]))
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

/** Outputs with different numbers of counts cannot be compared. */
function runsFewer(failing: string, passing: string): boolean {
  const [failed, before, after] = [
    numbersIn(failing, FAILED),
    numbersIn(failing, PASSED),
    numbersIn(passing, PASSED),
  ]
  const areAlike = failed.length > 0 && after.length > 0 && before.length === after.length
  return areAlike && sum(after) < sum(before) + sum(failed)
}

type Outputs = { failing: string; passing: string }

function areTestsRemoved({ failing, passing }: Outputs, { commands, edits }: Changes): boolean {
  const low = failing.toLowerCase()
  const editsByFile = new Map<string, Edit[]>()
  for (const edit of edits) {
    const name = baseName(edit.file)
    editsByFile.set(name, [...(editsByFile.get(name) ?? []), edit])
  }
  return (
    runsFewer(failing, passing) ||
    commands.some((command) => removedBy(command).some((path) => isFailingTest(path, low))) ||
    [...editsByFile.values()].some((of) => isFailingTest(of[0]?.file ?? '', low) && leavesTestsOut(of)) ||
    edits.some((edit) => isExcluded(edit, failing))
  )
}

const SAYS_REMOVED =
  /\b(?:exclud|skip|remov|delet|disabl|ignor)(?:p?ed|p?ing) (?:the |that |this |these |those |both |all )?(?:\w{1,20} )?tests?(?: (?:files?|cases?|suites?))?(?=[.,;:!)]| (?:that|which|from|in|for|because|until|so|and|as|since|by)\b|$)/im

/** A captured turn does not show the edited text, so the agent's report is checked. */
const isSaidRemoved = (report: string): boolean => SAYS_REMOVED.test(report)

/** Rules for pairs that look like a fix but are not; bench/eval-mining.ts has transcripts of each. */

/** Programs whose exit code is an answer. */
const ASKING =
  /^(?:grep|egrep|fgrep|rg|ag|ack|diff|cmp|test|\[|\[\[|which|command|type|pgrep|ls|stat|find|cat|head|tail|wc|file|readlink|jq|expr|false|ping|nc|lsof|curl|wget|man|git (?:diff|grep|status|show-ref|merge-base|rev-parse|ls-files|log|show|commit|add|tag|branch|stash|checkout|switch|merge|rebase|cherry-pick|apply)|gh|kill|docker inspect|systemctl is-active|crontab|(?:npm|pnpm|yarn|pip|cargo|bundle) (?:audit|outdated|ls|list|view|info|why|show))(?:\s|$)/
const CHECKS_FORMAT =
  /\b(?:prettier|black|isort|rustfmt|gofmt|clang-format|autopep8|shfmt)\b|\b(?:cargo|deno|terraform|mix|dart) (?:fmt|format)\b|\b(?:biome|ruff|dprint) (?:format|fmt)\b|\bformat:check\b|\blint-staged\b/
const SAYS_FORMAT =
  /would (?:be )?reformat|Code style issues|Formatter would have printed|not formatted|run prettier|needs? formatting/i

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
const ENDS_WITH = 2000
const LOOKED_AT = 20_000

type Failure = {
  step: CommandStep
  lines: readonly string[]
  said: string
  /** Files edited in the session before the failure, or in the same exchange if the order is unknown. */
  editedBefore: readonly string[]
}

type Excuse =
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

/** Returns the reason against a lesson that is known when the command fails. */
function excuseOf({ step, lines, said, editedBefore }: Failure): Excuse | undefined {
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

/** A captured turn does not show that an edit was reverted, so the agent's report is checked. */
const isSaidTakenBack = (report: string, changes: Changes): boolean =>
  changes.commands.length === 0 && SAYS_TAKEN_BACK.test(report)

function doubtOf(
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

type Outcome = 'failed' | 'succeeded' | 'unknown'

const OUTCOME_TAIL = 20_000

const FAILING =
  /\b[1-9]\d{0,5} (?:failed|failures?|failing|errors?)\b|\b(?:FAILED|FAIL)\b|npm (?:ERR!|error)|\b[A-Z]\w{0,60}(?:Error|Exception): |^error(?:\[\w{1,10}\])?:|\berror TS\d{3,5}\b|panicked at|Traceback \(most recent|^fatal: |command not found|BUILD FAILED|exit(?:ed)?(?: with)?(?: status| code)?[:= ]{1,3}[1-9]/m
const PASSING =
  /\b[1-9]\d{0,5} (?:passed|passing)\b|\ball tests passed\b|\btest result: ok\b|^(?:PASS|ok)\b|BUILD SUCCESS|compiled successfully|\b(?:found )?0 (?:errors|vulnerabilities)\b|exit(?:ed)?(?: with)?(?: status| code)?[:= ]{1,3}0\b|\bbuilt in \d|Successfully (?:installed|built)/im

/** A test program that found no tests reports success. */
const NOTHING_DONE =
  /\bno tests? (?:files? )?(?:found|ran|to run|were run|collected)\b|\bcollected 0 items\b|\bran 0 tests\b|\[no test files\]|\b0 (?:passing|passed)\b|\bno test suite found\b|\b(?:all|\d{1,6}) (?:tests? )?skipped\b(?!.{0,80}\bpassed)|\brunning 0 tests\b/i
const SOME_PASSED = /\b[1-9]\d{0,5} (?:passed|passing)\b/i

/** Exit codes of a stop by the person or by a timeout, which say nothing about the program. */
const STOPPED = new Set([124, 130, 143])

const endsOf = (text: string): string =>
  text.length <= OUTCOME_TAIL ? text : `${text.slice(0, OUTCOME_TAIL / 2)}\n${text.slice(-OUTCOME_TAIL / 2)}`

export function outcomeOf({ command, exitCode, output }: CommandStep): Outcome {
  const { isMasked } = readCommand(command)
  const text = endsOf(output)
  if (exitCode !== null && STOPPED.has(exitCode)) return 'unknown'
  if (exitCode !== null && exitCode !== 0) return 'failed'
  if (isMasked || exitCode === null) {
    if (FAILING.test(text)) return 'failed'
    return PASSING.test(text) && !isIdle(text) ? 'succeeded' : 'unknown'
  }
  return isIdle(text) ? 'unknown' : 'succeeded'
}

const isIdle = (text: string) => NOTHING_DONE.test(text) && !SOME_PASSED.test(text)

/** A command that failed, the changes in between, and the same command succeeding. */
export type Pair = {
  failure: CommandStep
  success: CommandStep
  lines: readonly string[]
  signature: string
  /** The telling lines as they were printed. */
  printed: readonly string[]
  changes: Changes
  attempts: number
  report: string
}

/** A failing command and its later success, whatever came between. Used for counting, not for drafts. */
export type Recovery = { signature: string; attempts: number; isLesson: boolean; noDraft: NoDraft | null }

/** Why no draft is made of an error that went away, as people are told. */
export const NO_DRAFT_BY_RULES = [
  'nothing_changed',
  'own_slip',
  'transient',
  'taken_back',
  'test_removed',
] as const
export type NoDraft = (typeof NO_DRAFT_BY_RULES)[number]

const NO_DRAFT: Partial<Record<Excuse, NoDraft>> = {
  'own test': 'own_slip',
  'own slip': 'own_slip',
  transient: 'transient',
  unrelated: 'transient',
  'nothing changed': 'nothing_changed',
  'prose only': 'nothing_changed',
  'taken back': 'taken_back',
  'test removed': 'test_removed',
}

type Attempt = {
  at: number
  folder: string | null
  step: CommandStep
  lines: readonly string[]
  printed: readonly string[]
  signature: string
}

const MAX_STEPS = 20_000
/** A later success has other reasons. */
const MAX_SPAN_LENGTH = 500
const MAX_ATTEMPTS = 50
const WORDS_AROUND = 6
const MAX_REPORT_LENGTH = 8000

/** Ignores the exit code, which is wrong if a pipe hides it. */
const readFailing = ({ output }: CommandStep) => readFailure(commandText({ exitCode: 1, output }))

const isPerson = (step: Step | undefined) => step?.kind === 'said' && step.by === 'person'

/** Returns the edits of the exchange of step `at`. A captured turn lists its edits at the end. */
function anytimeEdits(steps: readonly Step[], at: number): EditStep[] {
  const edits: EditStep[] = []
  for (let i = at + 1; i < Math.min(steps.length, at + MAX_SPAN_LENGTH) && !isPerson(steps[i]); i++) {
    const step = steps[i]
    if (step?.kind === 'edit' && step.isAnytime) edits.push(step)
  }
  return edits
}

/** Returns true if an edit only reverts an earlier edit, which then caused the failure. */
function isPutBack(edit: EditStep, earlier: readonly Step[]): boolean {
  const { file, before, after } = edit
  if (before === undefined) return false
  return earlier.some(
    (step) => step.kind === 'edit' && step.file === file && step.before === after && step.after === before,
  )
}

function changesBetween(steps: readonly Step[], from: number, to: number): Changes {
  const log = new ChangeLog()
  const earlier = steps.slice(Math.max(0, from - MAX_SPAN_LENGTH), from)
  const between = steps.slice(from + 1, to)
  // Edits of the last exchange are listed after the success, but count from that exchange's beginning.
  const begins = between.findLastIndex(isPerson)
  const late = anytimeEdits(steps, to)
  if (begins === -1) for (const edit of late) log.note(edit)
  between.forEach((step, i) => {
    if (step.kind !== 'edit' || !isPutBack(step, earlier)) log.note(step)
    if (i === begins) for (const edit of late) log.note(edit)
  })
  const [failure, success] = [steps[from], steps[to]]
  if (failure?.kind === 'command' && success?.kind === 'command')
    for (const command of addedCommands(failure.command, success.command))
      log.note({ kind: 'command', command, exitCode: 0, output: '' })
  return log.all()
}

function editedBefore(steps: readonly Step[], at: number): string[] {
  const before = steps.slice(Math.max(0, at - MAX_SPAN_LENGTH), at)
  const edits = [...before.filter((step) => step.kind === 'edit'), ...anytimeEdits(steps, at)]
  return [...new Set(edits.map(({ file }) => file))]
}

/** Returns the words around a command, up to the neighbouring commands, and the person's message. */
function saidAround(steps: readonly Step[], at: number): string {
  const said: string[] = []
  const look = (from: number, by: 1 | -1) => {
    for (let i = from; Math.abs(i - at) <= WORDS_AROUND; i += by) {
      const step = steps[i]
      if (step === undefined || step.kind === 'command') return
      if (step.kind === 'said') said.push(step.text.slice(0, MAX_REPORT_LENGTH))
    }
  }
  look(at - 1, -1)
  look(at + 1, 1)
  const asked = steps.slice(Math.max(0, at - MAX_SPAN_LENGTH), at).findLast(isPerson)
  if (asked?.kind === 'said') said.push(asked.text.slice(0, MAX_REPORT_LENGTH))
  return said.join('\n')
}

/** Returns what the agent said from the failure until its first words after the success. */
function reportOf(steps: readonly Step[], from: number, to: number): string {
  const said: string[] = []
  for (let i = from + 1; i < steps.length; i++) {
    const step = steps[i] as Step
    if (step.kind === 'said' && step.by === 'agent') said.push(step.text.slice(0, MAX_REPORT_LENGTH))
    if (i > to && (step.kind === 'said' || i > to + WORDS_AROUND)) break
  }
  return said.join('\n').slice(-MAX_REPORT_LENGTH)
}

function fallsBack(steps: readonly Step[], from: number, key: string, signature: string): boolean {
  const log = new ChangeLog()
  for (const step of steps.slice(from + 1, from + MAX_SPAN_LENGTH)) {
    if (step.kind === 'command' && readCommand(step.command).key === key && outcomeOf(step) === 'failed')
      return readFailing(step).signature === signature
    log.note(step)
    if (!log.isEmpty) return false
  }
  return false
}

type Lesson = { attempt: Attempt; changes: Changes }

/** Returns the last of several errors that was fixed, as it first appeared, or why there is none. */
function lessonOf(
  steps: readonly Step[],
  attempts: readonly Attempt[],
  key: string,
  at: number,
): Lesson | { excuse: Excuse | undefined } {
  const seen = new Set<string>()
  let excuse: Excuse | undefined
  for (const { signature } of attempts.toReversed()) {
    if (seen.has(signature)) continue
    seen.add(signature)
    const attempt = attempts.find((other) => other.signature === signature) as Attempt
    const { step, lines } = attempt
    const said = saidAround(steps, attempt.at)
    const failure: Failure = { step, lines, said, editedBefore: editedBefore(steps, attempt.at) }
    excuse = excuseOf(failure)
    if (excuse) continue
    const changes = changesBetween(steps, attempt.at, at)
    excuse = doubtOf(failure, changes, steps[at] as CommandStep)
    if (excuse) continue
    const isCaptured = anytimeEdits(steps, attempt.at).length > 0
    const report = isCaptured ? reportOf(steps, attempt.at, at) : ''
    excuse = isSaidTakenBack(report, changes)
      ? 'taken back'
      : isSaidRemoved(report)
        ? 'test removed'
        : undefined
    if (excuse) continue
    return fallsBack(steps, at, key, signature) ? { excuse: 'taken back' } : { attempt, changes }
  }
  return { excuse }
}

type SessionRead = { pairs: Pair[]; recoveries: Recovery[] }

export function readSession({ steps: given }: Pick<Session, 'steps'>): SessionRead {
  const steps = given.slice(-MAX_STEPS)
  const open = new Map<string, Attempt[]>()
  const read: SessionRead = { pairs: [], recoveries: [] }
  steps.forEach((step, at) => {
    if (step.kind !== 'command') return
    const { key, parts, folder } = readCommand(step.command)
    const outcome = outcomeOf(step)
    if (outcome === 'failed') noteFailure(open, key, { at, folder, step, ...readFailing(step) })
    if (outcome !== 'succeeded') return
    for (const done of new Set([key, ...parts])) {
      const attempts = open.get(done)?.filter((attempt) => isSameFolder(attempt, { at, folder })) ?? []
      if (attempts.length > 0) open.delete(done)
      if (attempts.length > 0) noteSuccess(read, steps, attempts, { key: done, step, at })
    }
  })
  return read
}

/** A line that names no folder runs in the folder of the line before. */
const isSameFolder = (attempt: Attempt, success: { at: number; folder: string | null }): boolean =>
  success.at - attempt.at <= MAX_SPAN_LENGTH &&
  (attempt.folder === null || success.folder === null || attempt.folder === success.folder)

function noteFailure(open: Map<string, Attempt[]>, key: string, attempt: Attempt): void {
  const attempts = open.get(key) ?? []
  if (attempts.length < MAX_ATTEMPTS) attempts.push(attempt)
  open.set(key, attempts)
}

function noteSuccess(
  read: SessionRead,
  steps: readonly Step[],
  attempts: readonly Attempt[],
  { key, step, at }: { key: string; step: CommandStep; at: number },
): void {
  const found = lessonOf(steps, attempts, key, at)
  const lesson = 'excuse' in found ? undefined : found
  const noDraft = ('excuse' in found && found.excuse && NO_DRAFT[found.excuse]) || null
  const { signature, lines, printed, step: failure, at: from } = lesson?.attempt ?? (attempts[0] as Attempt)
  if (signature !== '')
    read.recoveries.push({ signature, attempts: attempts.length, isLesson: !!lesson, noDraft })
  if (!lesson) return
  const report = reportOf(steps, from, at)
  const { changes } = lesson
  const pair = { failure, success: step, lines, printed, signature, changes, report }
  read.pairs.push({ ...pair, attempts: attempts.length })
}
