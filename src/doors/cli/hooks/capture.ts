import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { terminalText } from '../../../text/command-output.ts'
import { printedLines } from '../../../text/failure.ts'
import { accountOf } from '../account.ts'
import { type Environment, environmentOf } from '../lock-files.ts'
import { cleanJson, cleanText, Findings } from '../outgoing.ts'
import type { Profile } from '../profile.ts'
import { nameInProject } from '../project-name.ts'
import { CODEX_OUTPUTS, type CommandRun, codexResult, type Words } from './agents.ts'
import { bothEnds, hasFailed, startToRedact } from './command-result.ts'
import { put } from './spool.ts'
import {
  type Entry,
  keepEnvironment,
  readJournal,
  readSession,
  rememberSession,
  takeJournal,
} from './state.ts'

/** Returns the most useful part of an output: the significant lines of a failure, otherwise both ends. */
function telling(output: string, hasFailed: boolean, most: number): string {
  const lines = hasFailed ? printedLines(output).join('\n') : ''
  return bothEnds(lines || output.trim(), most)
}

/** The activity of an exchange; the vault stores the activity in `meta.activity` of the turn. */
type Activity = {
  commands: { command: string; exit_code: number | null; output: string }[]
  files: string[]
  tests: { command: string; before: 'failed'; after: 'passed' }[]
  environment: Environment
}

const MAX_COMMANDS = 40
const MAX_COMMAND_LENGTH = 500
const MAX_OUTPUT_LENGTH = 1500
/** Less than the journal keeps, so that what lay beside its cut is dropped after redaction. */
const MAX_READ_LENGTH = 8000
const MAX_FILES = 100
const MAX_TESTS = 20
/** Limit in bytes, below the vault's 64 KiB of metadata per turn. */
const MAX_BYTES = 56 * 1024

const TEST_COMMAND =
  /\b(?:test|tests|check|spec|pytest|vitest|jest|mocha|tox|rspec|phpunit|ctest|unittest)\b/i

/** Replaces secrets in a text. Call it before any cut: half a secret is not recognised. */
type Clean = (text: string) => string

const cutCommand = (command: string, clean: Clean): string =>
  clean(command).slice(0, MAX_COMMAND_LENGTH).toWellFormed()

const shown = (run: CommandRun, clean: Clean): Activity['commands'][number] => ({
  command: cutCommand(run.command, clean),
  exit_code: run.exitCode,
  // Colour codes are removed first: they would hide a secret beside them.
  output: telling(
    bothEnds(clean(terminalText(run.output)), MAX_READ_LENGTH),
    hasFailed(run),
    MAX_OUTPUT_LENGTH,
  ),
})

/** Returns commands that failed and then succeeded, also across exchanges. */
function redToGreen(
  runs: readonly CommandRun[],
  failingBefore: readonly string[],
  clean: Clean,
): { tests: Activity['tests']; failing: string[] } {
  const failing = new Set(failingBefore)
  const tests = new Map<string, Activity['tests'][number]>()
  for (const run of runs) {
    if (!TEST_COMMAND.test(run.command)) continue
    const command = cutCommand(run.command, clean)
    if (hasFailed(run)) {
      failing.add(command)
      tests.delete(command)
    } else if (run.exitCode === 0 && failing.delete(command))
      tests.set(command, { command, before: 'failed', after: 'passed' })
  }
  return { tests: [...tests.values()].slice(-MAX_TESTS), failing: [...failing].slice(-MAX_TESTS) }
}

/** Drops outputs until the activity fits into the limit: successful commands first, oldest first. */
function withinBounds(activity: Activity): Activity {
  const isTooLarge = () => Buffer.byteLength(JSON.stringify(activity)) > MAX_BYTES
  const byWorth = [...activity.commands].sort(
    (one, other) => Number(one.exit_code !== 0) - Number(other.exit_code !== 0),
  )
  for (const command of byWorth) {
    if (!isTooLarge()) break
    command.output = ''
  }
  while (isTooLarge() && activity.commands.length > 0) activity.commands.shift()
  return activity
}

function activityOf(
  journal: readonly Entry[],
  folder: string,
  environment: Environment,
  failingBefore: readonly string[],
  clean: Clean,
): { activity: Activity; failing: string[] } {
  const runs = journal.flatMap((entry) => ('run' in entry ? [entry.run] : []))
  const files = journal.flatMap((entry) => ('files' in entry ? entry.files : []))
  const { tests, failing } = redToGreen(runs, failingBefore, clean)
  const activity = withinBounds({
    commands: runs.slice(-MAX_COMMANDS).map((run) => shown(run, clean)),
    files: [...new Set(files.map((file) => nameInProject(file, folder)))].slice(-MAX_FILES),
    tests,
    environment,
  })
  return { activity, failing }
}

type Line = {
  type?: string
  uuid?: string
  isMeta?: boolean
  isSidechain?: boolean
  isCompactSummary?: boolean
  isVisibleInTranscriptOnly?: boolean
  origin?: { kind?: string }
  message?: { content?: unknown }
}

type Said = { text: string; id: string }

/** Blocks that the client inserts into messages. */
const INSERTED = /<(system-reminder|ide_[a-z_]+)>[\s\S]*?<\/\1>/g
const SUMMARY = /^This session is being continued from a previous conversation/
const INTERRUPTION = /^\[Request interrupted by user[^\]]*\]$/
const NOTICE = /^<(?:task-notification|teammate-message|cross-session-message|local-command-caveat)[\s>]/
const COMMAND =
  /^<(?:command-(?:name|message|args|contents)|local-command-std(?:out|err)|bash-(?:input|stdout|stderr))>/

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .flatMap((part) => (part?.type === 'text' && typeof part.text === 'string' ? [part.text] : []))
    .join('\n')
}

const parsed = (transcript: string): Line[] =>
  transcript.split('\n').flatMap((line): Line[] => {
    try {
      return line ? [JSON.parse(line)] : []
    } catch {
      return []
    }
  })

const ofAgentItself = (line: Line) =>
  line.isMeta || line.isSidechain || line.isCompactSummary || line.isVisibleInTranscriptOnly

function wordsIn(line: Line): { words: string } | 'command' | 'other' {
  if (line.type !== 'user' || ofAgentItself(line)) return 'other'
  if (line.origin?.kind !== undefined && line.origin.kind !== 'human') return 'other'
  const words = textOf(line.message?.content).replaceAll(INSERTED, '').trim()
  if (words === '' || SUMMARY.test(words) || INTERRUPTION.test(words) || NOTICE.test(words)) return 'other'
  return COMMAND.test(words) ? 'command' : { words }
}

/** Returns the person's last message; undefined if it was a command of the client. */
export function personsWords(transcript: string): Said | undefined {
  const lines = parsed(transcript)
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at] as Line
    const found = wordsIn(line)
    if (found === 'command') return undefined
    if (found !== 'other') return { text: found.words, id: line.uuid ?? `line ${at}` }
  }
  return undefined
}

export function agentsWords(transcript: string): string | undefined {
  const lines = parsed(transcript)
  const start = lines.findLastIndex((line) => typeof wordsIn(line) === 'object')
  const said = lines
    .slice(start + 1)
    .filter((line) => line.type === 'assistant' && !ofAgentItself(line))
    .map((line) => textOf(line.message?.content).trim())
    .filter((text) => text !== '')
  return said.at(-1)
}

/** Returns the agent's last message from Copilot CLI's event file. */
export function lastMessage(events: string): string | undefined {
  const lines = parsed(events) as { type?: string; data?: { content?: unknown } }[]
  return lines
    .filter(({ type }) => type === 'assistant.message')
    .map(({ data }) => textOf(data?.content).trim())
    .findLast((text) => text !== '')
}

type CodexLine = { payload?: { type?: string; call_id?: string; output?: unknown } }

/** Returns exit codes by call id from Codex's session file. */
function exitCodes(session: string): Map<string, number> {
  const codes = new Map<string, number>()
  for (const { payload } of parsed(session) as CodexLine[]) {
    if (!CODEX_OUTPUTS.has(payload?.type) || !payload?.call_id) continue
    const { exitCode } = codexResult(payload.output)
    if (exitCode !== null) codes.set(payload.call_id, exitCode)
  }
  return codes
}

const MAX_TRANSCRIPT_BYTES = 256 * 1024 * 1024
const MAX_END_LENGTH = 16 * 1024 * 1024
const MAX_VERBATIM_LENGTH = 4000
/** Limit of redacted characters per message. */
const MAX_REDACTED_LENGTH = 20_000
/** Number of reads: older versions of Claude Code write the last words shortly after the Stop event. */
const TRANSCRIPT_LOOKS = 5
const TRANSCRIPT_PAUSE_MS = 200

type Exchange = {
  agent: string
  profile: Profile
  words: Words
  projectKey: string
  folder: string
  sessionId: string | undefined
}

type SaidTurn = { prompt: string; reply: string; id: string }

function transcriptText(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false })
  return found?.isFile() && found.size <= MAX_TRANSCRIPT_BYTES ? readFileSync(file, 'utf8') : ''
}

/** Throws what `kvault doctor` then names: without its transcript an exchange is lost. */
function requireReadable(file: string | undefined): void {
  const found = file ? statSync(file, { throwIfNoEntry: false }) : undefined
  if (!found?.isFile())
    throw new Error(
      `the transcript ${file || '(none was named)'} cannot be read, so the exchange was not kept`,
    )
  if (found.size > MAX_TRANSCRIPT_BYTES)
    throw new Error(`the transcript ${file} is larger than 256 MB, so the exchange was not kept`)
}

/** Reads the words from Claude Code's transcript, where its own insertions are marked. */
async function saidInTranscript({ transcript = '', reply }: Words): Promise<SaidTurn | undefined> {
  const person = personsWords(transcriptText(transcript))
  if (!person) return undefined
  let words = reply ?? agentsWords(transcriptText(transcript))
  for (let look = 1; look < TRANSCRIPT_LOOKS && !words; look++) {
    await sleep(TRANSCRIPT_PAUSE_MS)
    words = agentsWords(transcriptText(transcript))
  }
  return words ? { prompt: person.text, reply: words, id: person.id } : undefined
}

/** Returns the words that other agents passed in their events. Copilot has the answer in a file of events. */
function saidInJournal(
  { prompt, reply, transcript }: Words,
  journal: readonly Entry[],
): SaidTurn | undefined {
  const asked = prompt ?? journal.flatMap((entry) => ('prompt' in entry ? [entry.prompt] : [])).at(-1)
  const answered =
    reply ??
    journal.flatMap((entry) => ('reply' in entry ? [entry.reply] : [])).at(-1) ??
    (transcript ? lastMessage(transcriptText(transcript)) : undefined)
  return asked && answered ? { prompt: asked, reply: answered, id: '' } : undefined
}

/** Returns the end of a file, which has the latest exchange. */
function endOf(file: string, most: number): string {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found?.isFile()) return ''
  const length = Math.min(found.size, most)
  const buffer = Buffer.alloc(length)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, buffer, 0, length, found.size - length)
  } finally {
    closeSync(descriptor)
  }
  return buffer.toString('utf8')
}

/** Adds exit codes from Codex's session file: its hooks get none. The session file wins. */
function withExitCodes(journal: readonly Entry[], { transcript }: Words): Entry[] {
  const isNamed = (entry: Entry) => 'run' in entry && entry.run.id !== undefined
  if (!transcript || !journal.some(isNamed)) return [...journal]
  const codes = exitCodes(endOf(transcript, MAX_END_LENGTH))
  return journal.map((entry) =>
    'run' in entry
      ? { run: { ...entry.run, exitCode: codes.get(entry.run.id ?? '') ?? entry.run.exitCode } }
      : entry,
  )
}

/** Replaces secrets before the cut. */
function verbatim(text: string, findings: Findings): string {
  const start = startToRedact(text, MAX_REDACTED_LENGTH)
  const clean = cleanText(start, findings)
  if (clean.length <= MAX_VERBATIM_LENGTH) return clean
  const left = clean.length - MAX_VERBATIM_LENGTH + (text.length - start.length)
  return `${clean.slice(0, MAX_VERBATIM_LENGTH).toWellFormed()}\n[… ${left} more characters]`
}

/** Returns the redacted exchange to store, and the commands that failed last. */
function redacted({ agent, words, projectKey, folder, sessionId }: Exchange, said: SaidTurn, taken: Entry[]) {
  const environment = environmentOf(folder)
  keepEnvironment(folder, environment)
  const journal = withExitCodes(taken, words)
  const findings = new Findings()
  const clean = (text: string) => cleanText(text, findings)
  const { failing: failedBefore = [] } = readSession(sessionId)
  const { activity, failing } = activityOf(journal, folder, environment, failedBefore, clean)
  const input = {
    project_key: projectKey,
    user_message: verbatim(said.prompt, findings),
    agent_report: verbatim(said.reply, findings),
    client: `${agent}-hook`,
    ...(sessionId ? { session_id: sessionId } : {}),
    meta: { activity: cleanJson(activity, findings) },
  }
  return { input, failing }
}

export async function captureTurn(exchange: Exchange): Promise<number> {
  const { agent, profile, words, sessionId } = exchange
  const { stored } = readSession(sessionId)
  if (agent === 'claude-code') requireReadable(words.transcript)
  const said =
    agent === 'claude-code' ? await saidInTranscript(words) : saidInJournal(words, readJournal(sessionId))
  // After a notification the agent continues, and the person's message is already stored.
  if (!said || (said.id !== '' && stored === said.id)) return 0
  return takeJournal(sessionId, (taken) => {
    const { input, failing } = redacted(exchange, said, taken)
    put({ url: profile.url, account: accountOf(profile), agent, input })
    rememberSession(sessionId, { failing, ...(said.id === '' ? {} : { stored: said.id }) })
    return JSON.stringify(input).length
  })
}
