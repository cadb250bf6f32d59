import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Candidate,
  cleanCandidate,
  draftCard,
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

/** A candidate that the vault has not taken yet. */
export type Waiting = {
  candidate: Candidate
  project_key: string | null
  session_id: string
  client: string
}

export type MineState = {
  /** Files that were read, with their size and time: a continued session is read again. */
  read: Record<string, string>
  waiting: Waiting[]
}

/** The most useful first. */
const byWorth = (one: Waiting, other: Waiting): number => worthOf(other.candidate) - worthOf(one.candidate)

/** The vault takes three a day, so more than this would be stale before they are sent. */
const MOST_WAITING = 100

const stateFile = () => join(settingsFolder(), 'mine.json')

type States = Record<string, MineState>

const states = (): States => (readJson(stateFile()) ?? {}) as States

/** What one account has found is offered for no other, though both use the same vault. */
const nameOf = (profile: Profile): string => `${profile.url} ${accountOf(profile)}`

/**
 * One state for each account of each vault. A broken one starts empty: the vault recognises what it already has. So
 * does the first one of an account, because earlier versions did not say whose it was.
 */
export function readState(profile: Profile): MineState {
  const state: unknown = states()[nameOf(profile)]
  if (!isJson(state) || !isJson(state.read) || !Array.isArray(state.waiting)) return { read: {}, waiting: [] }
  return state as MineState
}

export function writeState(profile: Profile, { read, waiting }: MineState): void {
  const kept = { read, waiting: waiting.toSorted(byWorth).slice(0, MOST_WAITING) }
  const { [profile.url]: _ofNobody, ...others } = states()
  writePrivate(stateFile(), JSON.stringify({ ...others, [nameOf(profile)]: kept }))
}

const READERS: readonly TranscriptReader[] = [claudeCode, codex, gemini, opencode]
const HOUR_MS = 3_600_000
const UNITS: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 168 * HOUR_MS }
/** The state is saved after this many files, so little is lost if the command is stopped. */
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

/** Makes everything that leaves the machine. The reader has redacted the texts; the versions come from lock files. */
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
  // The versions are those of today; the folder of an old session may be gone.
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

/**
 * Adds a candidate and says whether its error is new. The vault makes one draft of an error. A session that was resumed
 * is in two files, so the same error comes again; the more useful candidate of it stays.
 */
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

/**
 * The same on one day, so that a request that is repeated makes no second draft. The next day it is another: the vault
 * repeats its answer to a key, and an answer may be that the limit of the day is reached.
 */
const idempotencyKey = (waiting: Waiting): string =>
  createHash('sha256')
    .update(JSON.stringify(waiting))
    .update(new Date().toISOString().slice(0, 10))
    .digest('hex')

/** Null if a draft was made, otherwise why not. */
async function offer({ url, apiKey }: Profile, waiting: Waiting): Promise<string | null> {
  const { candidate, ...origin } = waiting
  const reply = await ask(url, '/api/v1/drafts', {
    body: { candidates: [candidate], ...origin },
    headers: { 'x-api-key': apiKey, 'idempotency-key': idempotencyKey(waiting) },
    shape: { results: [] },
  })
  // A vault of another version may have other limits. What it never takes must not stop those behind it.
  if (reply.status === 422) {
    process.stderr.write(`${plain(candidate.failure)} was refused: ${plain(failure(reply).message, 200)}\n`)
    return 'refused'
  }
  if (reply.status !== 200) throw failure(reply)
  return (reply.body as Offered).results[0]?.skipped ?? null
}

/** The most useful first, until the vault has reached its limit for today. */
async function send(profile: Profile, state: MineState, save: () => void): Promise<number> {
  state.waiting.sort(byWorth)
  let made = 0
  for (let next = state.waiting[0]; next; next = state.waiting[0]) {
    const skipped = await offer(profile, next)
    if (skipped === 'daily_limit') break
    if (skipped === null) made += 1
    state.waiting.shift()
    save()
  }
  return made
}

function printCandidate({ candidate, project_key }: Waiting): void {
  const { title, symptom, fix_summary } = draftCard(candidate)
  print(paint('bold', plain(title, 120)))
  if (project_key) print(paint('dim', plain(project_key)))
  print(plainLines(`${symptom}\n\n${fix_summary}\n`))
}

/** Reads the sessions that agents keep on this machine, and sends the vault what was solved in them. */
export async function mine(options: MineOptions): Promise<number> {
  const readers = readersFor(options.agent)
  const since = sinceMs(options.since ?? '30d')
  // A dry run needs no account.
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
  // A dry run asks no vault, so a key that nobody has decided on does not count in it.
  const found = await scan(work, state, save, profile ?? { url: findProfile(options).url })
  if (!profile) {
    if (options.json) printJson(state.waiting)
    else {
      for (const waiting of state.waiting) printCandidate(waiting)
      print(`${read}, ${found} found. Nothing was sent.`)
    }
    return EXIT.done
  }
  const made = await send(profile, state, save)
  const { length: left } = state.waiting
  if (options.json) printJson({ sessions: work.length, found, made, waiting: left })
  else {
    print(`${read}, ${found} found, ${made} made into drafts.`)
    if (made > 0) print(`Look at them with ${KVAULT} drafts.`)
    if (left > 0) print(`${left} left: the vault makes three drafts a day. Run this again tomorrow.`)
  }
  return EXIT.done
}
