import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { draftCard } from '../../shared/draft-text.ts'
import {
  type Candidate,
  cleanCandidate,
  mine as mineSession,
  signatureOf,
  worthOf,
} from '../../shared/mining.ts'
import { accountOf } from './account.ts'
import {
  claudeCode,
  codex,
  gemini,
  isJson,
  opencode,
  readJson,
  type Stamped,
  type TranscriptReader,
} from './agent-transcripts.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { KVAULT, settingsFolder } from './local-files.ts'
import { allVersionsOf } from './lock-files.ts'
import { findProfile, type Profile, type ProfileOptions, requireProfile, writePrivate } from './profile.ts'
import { projectKeyOf } from './project.ts'
import { nameInProject } from './project-name.ts'
import { endProgress, paint, plain, plainLines, print, printJson, showProgress } from './terminal.ts'
import { ask, failure } from './vault-client.ts'

export type Waiting = {
  candidate: Candidate
  project_key: string | null
  session_id: string
  client: string
}

export type MineState = {
  /** Files already read, with size and time: a continued session is read again. */
  read: Record<string, string>
  waiting: Waiting[]
}

/** Sorts the most useful first. */
const byWorth = (one: Waiting, other: Waiting): number => worthOf(other.candidate) - worthOf(one.candidate)

/** Limit of waiting candidates: the vault accepts three a day, so older ones would be stale. */
const MAX_WAITING = 100

const stateFile = () => join(settingsFolder(), 'mine.json')

type States = Record<string, MineState>

const states = (): States => (readJson(stateFile()) ?? {}) as States

/** Names the state of one account, so that its findings are never offered for another. */
const nameOf = (profile: Profile): string => `${profile.url} ${accountOf(profile)}`

export function readState(profile: Profile): MineState {
  const state: unknown = states()[nameOf(profile)]
  if (!isJson(state) || !isJson(state.read) || !Array.isArray(state.waiting)) return { read: {}, waiting: [] }
  return state as MineState
}

export function writeState(profile: Profile, { read, waiting }: MineState): void {
  const kept = { read, waiting: waiting.toSorted(byWorth).slice(0, MAX_WAITING) }
  const { [profile.url]: _ofNobody, ...others } = states()
  writePrivate(stateFile(), JSON.stringify({ ...others, [nameOf(profile)]: kept }))
}

const READERS: readonly TranscriptReader[] = [claudeCode, codex, gemini, opencode]
const HOUR_MS = 3_600_000
const UNITS: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 168 * HOUR_MS }
/** Number of files between two saves, so that little is lost when the command is stopped. */
const FILES_BETWEEN_SAVES = 25

export type MineOptions = ProfileOptions & {
  agent?: string
  since?: string
  dryRun?: boolean
  json?: boolean
}

function sinceMs(since: string): number {
  const [, count, unit] = /^(\d{1,4})([hdw])$/.exec(since) ?? []
  if (count === undefined || unit === undefined)
    throw new CommandError(`"${since}" is not a time span. Write it as 30d, 12h or 4w.`, EXIT.usage)
  return Date.now() - Number(count) * (UNITS[unit] ?? 0)
}

function readersFor(agent: string | undefined): readonly TranscriptReader[] {
  const chosen = READERS.filter((reader) => agent === undefined || reader.agent === agent)
  if (chosen.length === 0)
    throw new CommandError(
      `There is no reader for ${agent}. Use one of ${READERS.map((reader) => reader.agent).join(', ')}.`,
      EXIT.usage,
    )
  return chosen
}

const isFolder = (folder: string): boolean =>
  statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false

async function candidatesIn(
  reader: TranscriptReader,
  file: string,
  vault: Partial<Profile> & { url: string },
): Promise<Waiting[]> {
  const transcript = reader.read(file)
  if (!transcript) return []
  const { sessionId, folder, steps } = transcript
  const here = folder !== undefined && isFolder(folder) ? folder : undefined
  const { candidates } = mineSession({ steps, environment: {} })
  if (candidates.length === 0) return []
  // Versions are today's; the folder of an old session may be gone.
  const again = here ? mineSession({ steps, environment: allVersionsOf(here) }).candidates : candidates
  const inProject = (file: string) => nameInProject(file, folder)
  const project_key = here ? await projectKeyOf(here, vault) : null
  return again.map((candidate) => ({
    candidate: cleanCandidate({ ...candidate, files: [...new Set(candidate.files.map(inProject))] }),
    project_key,
    session_id: sessionId.slice(0, 200),
    client: `${reader.agent}-mine`,
  }))
}

function adderTo(waiting: Waiting[]): (one: Waiting) => boolean {
  const positions = new Map(waiting.map(({ candidate }, at) => [signatureOf(candidate), at]))
  return (one) => {
    const error = signatureOf(one.candidate)
    const at = positions.get(error) ?? waiting.length
    const before = waiting[at]
    if (!before || worthOf(one.candidate) > worthOf(before.candidate)) waiting[at] = one
    positions.set(error, at)
    return before === undefined
  }
}

type Work = { reader: TranscriptReader; file: Stamped }

async function scan(
  work: readonly Work[],
  state: MineState,
  save: () => void,
  vault: Partial<Profile> & { url: string },
): Promise<number> {
  let found = 0
  const add = adderTo(state.waiting)
  for (const [at, { reader, file }] of work.entries()) {
    try {
      found += (await candidatesIn(reader, file.file, vault)).filter(add).length
      state.read[file.file] = file.stamp
    } catch (error) {
      process.stderr.write(`${plain(file.file, 200)} was skipped: ${plain(String(error), 200)}\n`)
    }
    if ((at + 1) % FILES_BETWEEN_SAVES === 0) save()
    showProgress(at + 1, work.length, ` sessions, ${found} found`)
  }
  if (work.length > 0) endProgress()
  save()
  return found
}

type Offered = { results: { draft_id: string | null; skipped: string | null }[] }

/** Stable for a day, so that a retry makes no second draft, and not longer: the vault repeats answers. */
const idempotencyKey = (waiting: Waiting): string =>
  createHash('sha256')
    .update(JSON.stringify(waiting))
    .update(new Date().toISOString().slice(0, 10))
    .digest('hex')

/** Offers a candidate; returns null for a new draft, otherwise the reason. */
async function offer({ url, apiKey }: Profile, waiting: Waiting): Promise<string | null> {
  const { candidate, ...origin } = waiting
  const reply = await ask(url, '/api/v1/drafts', {
    body: { candidates: [candidate], ...origin },
    headers: { 'x-api-key': apiKey, 'idempotency-key': idempotencyKey(waiting) },
    shape: { results: [] },
  })
  // A candidate that the vault will never accept must not block the next ones.
  if (reply.status === 422) {
    process.stderr.write(`${plain(candidate.failure)} was refused: ${plain(failure(reply).message, 200)}\n`)
    return 'refused'
  }
  if (reply.status !== 200) throw failure(reply)
  return (reply.body as Offered).results[0]?.skipped ?? null
}

const SKIPPED: Readonly<Record<string, string>> = {
  known: 'found before',
  recorded: 'recorded as a card already',
  no_error: 'without a telling error',
}

/** Sends candidates, most useful first, up to the vault's daily limit; counts why others made no draft. */
async function send(
  profile: Profile,
  state: MineState,
  save: () => void,
): Promise<{ made: number; skipped: Map<string, number> }> {
  state.waiting.sort(byWorth)
  const skips = new Map<string, number>()
  let made = 0
  for (let next = state.waiting[0]; next; next = state.waiting[0]) {
    const skipped = await offer(profile, next)
    if (skipped === 'daily_limit') break
    if (skipped === null) made += 1
    else skips.set(skipped, (skips.get(skipped) ?? 0) + 1)
    state.waiting.shift()
    save()
  }
  return { made, skipped: skips }
}

const indented = (text: string): string => plainLines(text).replace(/^(?=.)/gm, '   ')

function printCandidate({ candidate, project_key }: Waiting, at: number): void {
  const { title, symptom, fix_summary, root_cause } = draftCard(candidate)
  if (at > 0) print(paint('dim', '─'.repeat(60)))
  print(`${at + 1}. ${paint('bold', plain(title, 160))}`)
  if (project_key) print(paint('dim', `   ${plain(project_key)}`))
  print(indented(`\n${symptom}\n`))
  if (root_cause && !fix_summary.includes(root_cause)) print(indented(`Cause: ${root_cause}`))
  print(indented(`Fix: ${fix_summary}\n`))
}

/** Reads agents' sessions on this machine and sends solved errors to the vault. */
export async function mine(options: MineOptions): Promise<number> {
  const readers = readersFor(options.agent)
  const since = sinceMs(options.since ?? '30d')
  const profile = options.dryRun ? undefined : requireProfile(options)
  const state: MineState = profile ? readState(profile) : { read: {}, waiting: [] }
  const save = () => {
    if (profile) writeState(profile, state)
  }
  const work = readers.flatMap((reader) =>
    reader
      .find()
      .filter(({ file, stamp, changedMs }) => changedMs >= since && state.read[file] !== stamp)
      .map((file) => ({ reader, file })),
  )
  const read = work.length === 1 ? '1 session read' : `${work.length} sessions read`
  // A dry run does not ask the vault, so an undecided key is ignored.
  const found = await scan(work, state, save, profile ?? { url: findProfile(options).url })
  if (!profile) {
    if (options.json) printJson(state.waiting)
    else {
      for (const [at, waiting] of state.waiting.toSorted(byWorth).entries()) printCandidate(waiting, at)
      print(`${read}, ${found} found. Nothing was sent.`)
    }
    return EXIT.done
  }
  const { made, skipped } = await send(profile, state, save)
  const { length: left } = state.waiting
  if (options.json) printJson({ sessions: work.length, found, made, waiting: left })
  else {
    print(`${read}, ${found} found, ${made} made into drafts.`)
    const why = Object.entries(SKIPPED).flatMap(([reason, text]) =>
      skipped.has(reason) ? `${skipped.get(reason)} ${text}` : [],
    )
    if (why.length > 0) print(`Without a draft: ${why.join(', ')}.`)
    if (made > 0) print(`Look at them with ${KVAULT} drafts.`)
    if (left > 0) print(`${left} left: the vault makes three drafts a day. Run this again tomorrow.`)
  }
  return EXIT.done
}
