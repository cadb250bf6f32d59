import { commandText } from '../../../text/command-text.ts'
import { readFailure } from '../../../text/failure.ts'
import { ChangeLog, type Changes } from './changes.ts'
import { readCommand } from './command-line.ts'
import { doubtOf, excuseOf, type Failure, isSaidTakenBack } from './excuses.ts'
import { outcomeOf } from './outcome.ts'
import { isSaidRemoved } from './removed-tests.ts'
import type { CommandStep, EditStep, Session, Step } from './session.ts'

/** A command that failed, what was changed, and the same command succeeding. */
export type Pair = {
  failure: CommandStep
  success: CommandStep
  lines: readonly string[]
  signature: string
  changes: Changes
  /** How often the command failed until then. */
  attempts: number
  /** What the agent said between the two, and right after the success. */
  report: string
}

/** A failing command and its later success, whatever came between. Used for counting, not for drafts. */
export type Recovery = { signature: string; attempts: number; isLesson: boolean }

type Attempt = {
  at: number
  folder: string | null
  step: CommandStep
  lines: readonly string[]
  signature: string
}

/** Of a longer session only the last steps are read. */
const MOST_STEPS = 20_000
/** A success that comes after more steps than this has other reasons. */
const LONGEST_SPAN = 500
const MOST_ATTEMPTS = 50
/** Words that are further away are about something else. */
const WORDS_AROUND = 6
const LONGEST_REPORT = 8000

/** Without the exit code, which is wrong if a pipe hides it. */
const readFailing = ({ output }: CommandStep) => readFailure(commandText({ exitCode: 1, output }))

const isPerson = (step: Step | undefined) => step?.kind === 'said' && step.by === 'person'

/** The edits of the exchange of step `at`. A captured turn lists them at its end. */
function anytimeEdits(steps: readonly Step[], at: number): EditStep[] {
  const edits: EditStep[] = []
  for (let i = at + 1; i < Math.min(steps.length, at + LONGEST_SPAN) && !isPerson(steps[i]); i++) {
    const step = steps[i]
    if (step?.kind === 'edit' && step.isAnytime) edits.push(step)
  }
  return edits
}

/** Whether an edit only reverts one from before the failure, which then caused the failure. */
function isPutBack(edit: EditStep, earlier: readonly Step[]): boolean {
  const { file, before, after } = edit
  if (before === undefined) return false
  return earlier.some(
    (step) => step.kind === 'edit' && step.file === file && step.before === after && step.after === before,
  )
}

function changesBetween(steps: readonly Step[], from: number, to: number): Changes {
  const log = new ChangeLog()
  const earlier = steps.slice(Math.max(0, from - LONGEST_SPAN), from)
  const between = steps.slice(from + 1, to)
  // The edits of the last exchange are listed after the success; they count from the beginning of that exchange.
  const begins = between.findLastIndex(isPerson)
  const late = anytimeEdits(steps, to)
  if (begins === -1) for (const edit of late) log.note(edit)
  between.forEach((step, i) => {
    if (step.kind !== 'edit' || !isPutBack(step, earlier)) log.note(step)
    if (i === begins) for (const edit of late) log.note(edit)
  })
  return log.all()
}

function editedBefore(steps: readonly Step[], at: number): string[] {
  const before = steps.slice(Math.max(0, at - LONGEST_SPAN), at)
  const edits = [...before.filter((step) => step.kind === 'edit'), ...anytimeEdits(steps, at)]
  return [...new Set(edits.map(({ file }) => file))]
}

/** The words around a command, up to the neighbouring commands, and the message of the person. */
function saidAround(steps: readonly Step[], at: number): string {
  const said: string[] = []
  const look = (from: number, by: 1 | -1) => {
    for (let i = from; Math.abs(i - at) <= WORDS_AROUND; i += by) {
      const step = steps[i]
      if (step === undefined || step.kind === 'command') return
      if (step.kind === 'said') said.push(step.text.slice(0, LONGEST_REPORT))
    }
  }
  look(at - 1, -1)
  look(at + 1, 1)
  const asked = steps.slice(Math.max(0, at - LONGEST_SPAN), at).findLast(isPerson)
  if (asked?.kind === 'said') said.push(asked.text.slice(0, LONGEST_REPORT))
  return said.join('\n')
}

/** What the agent said from the failure until its first words after the success. */
function reportOf(steps: readonly Step[], from: number, to: number): string {
  const said: string[] = []
  for (let i = from + 1; i < steps.length; i++) {
    const step = steps[i] as Step
    if (step.kind === 'said' && step.by === 'agent') said.push(step.text.slice(0, LONGEST_REPORT))
    if (i > to && (step.kind === 'said' || i > to + WORDS_AROUND)) break
  }
  return said.join('\n').slice(-LONGEST_REPORT)
}

/** Whether the same command fails in the same way again before anything else is changed: then nothing was fixed. */
function fallsBack(steps: readonly Step[], from: number, key: string, signature: string): boolean {
  const log = new ChangeLog()
  for (const step of steps.slice(from + 1, from + LONGEST_SPAN)) {
    if (step.kind === 'command' && readCommand(step.command).key === key && outcomeOf(step) === 'failed')
      return readFailing(step).signature === signature
    log.note(step)
    if (!log.isEmpty) return false
  }
  return false
}

type Lesson = { attempt: Attempt; changes: Changes }

/** Of several errors on the way, the last one that was fixed, as it first appeared. */
function lessonOf(
  steps: readonly Step[],
  attempts: readonly Attempt[],
  key: string,
  at: number,
): Lesson | undefined {
  const seen = new Set<string>()
  for (const { signature } of attempts.toReversed()) {
    if (seen.has(signature)) continue
    seen.add(signature)
    const attempt = attempts.find((other) => other.signature === signature) as Attempt
    const { step, lines } = attempt
    const said = saidAround(steps, attempt.at)
    const failure: Failure = { step, lines, said, editedBefore: editedBefore(steps, attempt.at) }
    if (excuseOf(failure)) continue
    const changes = changesBetween(steps, attempt.at, at)
    if (doubtOf(failure, changes, steps[at] as CommandStep)) continue
    const isCaptured = anytimeEdits(steps, attempt.at).length > 0
    const report = isCaptured ? reportOf(steps, attempt.at, at) : ''
    if (isSaidTakenBack(report, changes) || isSaidRemoved(report)) continue
    return fallsBack(steps, at, key, signature) ? undefined : { attempt, changes }
  }
  return undefined
}

export type SessionRead = { pairs: Pair[]; recoveries: Recovery[] }

export function readSession({ steps: given }: Pick<Session, 'steps'>): SessionRead {
  const steps = given.slice(-MOST_STEPS)
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

/** In the same folder. A line that names no folder runs where the last one did. */
const isSameFolder = (attempt: Attempt, success: { at: number; folder: string | null }): boolean =>
  success.at - attempt.at <= LONGEST_SPAN &&
  (attempt.folder === null || success.folder === null || attempt.folder === success.folder)

function noteFailure(open: Map<string, Attempt[]>, key: string, attempt: Attempt): void {
  const attempts = open.get(key) ?? []
  if (attempts.length < MOST_ATTEMPTS) attempts.push(attempt)
  open.set(key, attempts)
}

function noteSuccess(
  read: SessionRead,
  steps: readonly Step[],
  attempts: readonly Attempt[],
  { key, step, at }: { key: string; step: CommandStep; at: number },
): void {
  const lesson = lessonOf(steps, attempts, key, at)
  const { signature, lines, step: failure, at: from } = lesson?.attempt ?? (attempts[0] as Attempt)
  if (signature !== '') read.recoveries.push({ signature, attempts: attempts.length, isLesson: !!lesson })
  if (!lesson) return
  const report = reportOf(steps, from, at)
  const { changes } = lesson
  read.pairs.push({ failure, success: step, lines, signature, changes, attempts: attempts.length, report })
}
