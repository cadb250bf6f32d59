import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { cleanCandidate } from '../../../features/mining/clean-candidate.ts'
import { signatureOf, worthOf } from '../../../features/mining/rules/candidate.ts'
import { draftCard } from '../../../features/mining/rules/draft-card.ts'
import { mine as mineSession } from '../../../features/mining/rules/mine.ts'
import { projectKeyOf } from '../allow-project.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import { allVersionsOf } from '../lock-files/environment.ts'
import { nameInProject } from '../name-in-project.ts'
import { KVAULT } from '../own-copy.ts'
import { findProfile, type Profile, type ProfileOptions, requireProfile } from '../profile.ts'
import { endProgress, paint, plain, plainLines, print, printJson, showProgress } from '../terminal.ts'
import { ask, failure } from '../vault-client.ts'
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import { gemini } from './gemini.ts'
import { opencode } from './opencode.ts'
import type { Stamped } from './read-bounded.ts'
import { byWorth, type MineState, readState, type Waiting, writeState } from './state.ts'
import type { TranscriptReader } from './transcript.ts'

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
