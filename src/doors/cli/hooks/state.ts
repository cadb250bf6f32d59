import {
  appendFileSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { DAY_MS } from '../../../shared/time.ts'
import { settingsFolder } from '../local-files.ts'
import type { Environment } from '../lock-files.ts'
import { writePrivate } from '../profile.ts'
import type { CommandRun, Moment } from './agents.ts'
import { outputToRedact, startToRedact } from './command-result.ts'

const require = createRequire(import.meta.url)

const MAX_NAME_LENGTH = 150
const MAX_ID_LENGTH = 200

function hashOf(text: string): string {
  const { createHash }: typeof import('node:crypto') = require('node:crypto')
  return `h${createHash('sha256').update(text).digest('hex')}`
}

/** Text from others never becomes part of a path; only long texts are hashed: node:crypto loads slowly. */
export function fileNameFor(text: string): string {
  const name = Buffer.from(text).toString('base64url')
  return name.length <= MAX_NAME_LENGTH ? `t${name}` : hashOf(text)
}

/** Returns a session id that the vault accepts: short and without control characters. */
export const storableId = (id: string): string =>
  id.length <= MAX_ID_LENGTH && !/\p{Cc}/u.test(id) && id.isWellFormed() ? id : hashOf(id)

export type Lock = {
  /** Renews the lock; returns false if another program has taken it over. */
  renew: () => boolean
  release: () => void
}

/** Avoids node:crypto, which loads too slowly for a hook. */
const newToken = (): string => `${process.pid}-${process.hrtime.bigint()}-${Math.random()}`

const holder = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** Whether a lock is stale. A time in the future comes from a wrong clock and counts as stale too. */
const isStale = (file: string, staleMs: number): boolean => {
  const found = statSync(file, { throwIfNoEntry: false })
  return found !== undefined && Math.abs(Date.now() - found.mtimeMs) > staleMs
}

/** Creates the file, or returns undefined if it exists: only one program gets the lock. */
function create(file: string): number | undefined {
  try {
    return openSync(file, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw error
  }
}

/** Removes the file if the disk is too full for the token, because nobody could release the lock. */
function take(file: string, token: string): boolean {
  const descriptor = create(file)
  if (descriptor === undefined) return false
  try {
    writeFileSync(descriptor, token)
    return true
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
}

/** Moves a stale lock away; a fresh lock of another program is put back. */
function removeStale(file: string, seen: string): void {
  const away = `${file}.${newToken()}.stale`
  try {
    renameSync(file, away)
    if (readFileSync(away, 'utf8') !== seen) linkSync(away, file)
  } catch {
    // Another program was faster.
  } finally {
    rmSync(away, { force: true })
  }
}

function lockOf(file: string, token: string): Lock {
  return {
    renew: () => {
      if (holder(file) !== token) return false
      const now = new Date()
      utimesSync(file, now, now)
      return true
    },
    release: () => {
      if (holder(file) === token) rmSync(file, { force: true })
    },
  }
}

/** A holder that has not renewed the lock for `staleMs` counts as dead. The folder must exist. */
export function takeLock(file: string, staleMs: number): Lock | undefined {
  const token = newToken()
  if (take(file, token)) return lockOf(file, token)
  const seen = holder(file)
  if (seen === undefined || !isStale(file, staleMs)) return undefined
  removeStale(file, seen)
  return take(file, token) ? lockOf(file, token) : undefined
}

const PAUSE_MS = 3
const pause = new Int32Array(new SharedArrayBuffer(4))

type LockTimeouts = { patienceMs: number; staleMs: number }

function awaitLock(file: string, { patienceMs, staleMs }: LockTimeouts): Lock | undefined {
  const end = performance.now() + patienceMs
  try {
    let lock = takeLock(file, staleMs)
    while (!lock && performance.now() < end) {
      Atomics.wait(pause, 0, 0, PAUSE_MS)
      lock = takeLock(file, staleMs)
    }
    return lock
  } catch {
    // The disk has no room for a lock; moving a file still works.
    return undefined
  }
}

/** Runs without the lock after `patienceMs`, because a person waits; at worst one note is lost. */
export function withLock<T>(file: string, timeouts: LockTimeouts, work: () => T): T {
  const lock = awaitLock(file, timeouts)
  try {
    return work()
  } finally {
    lock?.release()
  }
}

type Session = {
  /** The id of the last stored message. */
  stored?: string
  /** Ids of injected items, to avoid repeats. */
  shown?: string[]
  /** The vault's last answer was lost, so `shown` lacks its items. */
  unheard?: boolean
  /** The project of a folder, cached because asking git is slow. */
  project?: { folder: string; key: string }
  /** The session was compacted without a possible injection. */
  compacted?: boolean
  /** Commands that failed last, for tests that pass in a later exchange. */
  failing?: string[]
}

const KEPT_MS = 30 * DAY_MS
const MAX_SHOWN = 200

const sessionsFolder = (): string => join(settingsFolder(), 'sessions')

export const sessionFile = (sessionId: string, ending: string): string =>
  join(sessionsFolder(), fileNameFor(sessionId) + ending)

export function readSession(sessionId: string | undefined): Session {
  if (!sessionId) return {}
  try {
    return JSON.parse(readFileSync(sessionFile(sessionId, '.json'), 'utf8')) ?? {}
  } catch {
    return {}
  }
}

/** Both are far longer than a note takes (ms). After `staleMs`, the lock of a killed hook is ignored. */
const WAIT = { patienceMs: 400, staleMs: 2000 }

/** Runs short work on a session's files under its lock. */
function withSessionLock<T>(sessionId: string, work: () => T): T {
  mkdirSync(sessionsFolder(), { recursive: true, mode: 0o700 })
  return withLock(sessionFile(sessionId, '.lock'), WAIT, work)
}

/** An addition is a function of the present state, so that two concurrent hooks both keep their notes. */
export function rememberSession(
  sessionId: string | undefined,
  change: Session | ((former: Session) => Session),
): void {
  if (!sessionId) return
  try {
    withSessionLock(sessionId, () => {
      const former = readSession(sessionId)
      const added = typeof change === 'function' ? change(former) : change
      const { shown = [], ...rest } = { ...former, ...added }
      const text = JSON.stringify({ ...rest, shown: shown.slice(-MAX_SHOWN) })
      writePrivate(sessionFile(sessionId, '.json'), text)
    })
  } catch {
    // In a read-only home folder, no event is stored.
  }
}

/** Deletes sessions that are too old to be resumed. */
export function forgetOldSessions(): void {
  try {
    for (const name of readdirSync(sessionsFolder())) {
      const file = join(sessionsFolder(), name)
      if (Date.now() - statSync(file).mtimeMs > KEPT_MS) rmSync(file, { force: true })
    }
  } catch {
    // No session yet, or another hook was faster.
  }
}

const fileOf = (folder: string): string =>
  join(settingsFolder(), 'environments', `${fileNameFor(folder)}.json`)

/** Returns the environment of the last capture: reading lock files would take too long for a hook. */
export function knownEnvironment(folder: string): Environment | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(folder), 'utf8'))
  } catch {
    return undefined
  }
}

export function keepEnvironment(folder: string, environment: Environment): void {
  try {
    writePrivate(fileOf(folder), JSON.stringify(environment))
  } catch {
    // The next capture retries.
  }
}

/** An event of a session since the last capture, one per line. The journal stays on this machine. */
export type Entry = { prompt: string } | { reply: string } | { run: CommandRun } | { files: string[] }

/** Limit in bytes for runs and files. Words may exceed it, because a capture needs them. */
const MAX_BYTES = 2 * 1024 * 1024
/** Above this limit the journal starts again with the next words. */
const MAX_BYTES_WITH_WORDS = 2 * MAX_BYTES
/** Twice what the capture keeps: what is known as a secret only by text beyond the cut lies beside the cut. */
const MAX_OUTPUT_LENGTH = 16_000
const MAX_COMMAND_LENGTH = 2000
const MAX_SESSION_ID_LENGTH = 200
const MAX_WORDS = 20_000
const MAX_FILES = 100
const MAX_FILE_NAME_LENGTH = 1000

/** Shortens an entry; redaction loads too slowly here and follows in the capture. */
function shortened(entry: Entry): Entry {
  if ('prompt' in entry) return { prompt: startToRedact(entry.prompt, MAX_WORDS) }
  if ('reply' in entry) return { reply: startToRedact(entry.reply, MAX_WORDS) }
  if ('files' in entry)
    return { files: entry.files.filter((name) => name.length <= MAX_FILE_NAME_LENGTH).slice(0, MAX_FILES) }
  const { command, exitCode, output, id } = entry.run
  return {
    run: {
      command: startToRedact(command, MAX_COMMAND_LENGTH),
      exitCode,
      output: outputToRedact(output, MAX_OUTPUT_LENGTH),
      ...(id === undefined ? {} : { id: id.slice(0, MAX_SESSION_ID_LENGTH) }),
    },
  }
}

/**
 * Appends in one write after a line end, against mixed or cut lines. Call it under the lock: a program that
 * takes the journal could lose the line.
 */
function append(file: string, entry: Entry): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const isWords = 'prompt' in entry || 'reply' in entry
  if (size > MAX_BYTES && !isWords) return
  const line = `\n${JSON.stringify(shortened(entry))}\n`
  writeFileSync(file, line, { mode: 0o600, flag: size > MAX_BYTES_WITH_WORDS ? 'w' : 'a' })
}

export function note(sessionId: string | undefined, entry: Entry): void {
  if (!sessionId) return
  try {
    withSessionLock(sessionId, () => append(sessionFile(sessionId, '.jsonl'), entry))
  } catch {
    // In a read-only home folder, no event is stored.
  }
}

const parsed = (line: string): Entry[] => {
  try {
    return line ? [JSON.parse(line)] : []
  } catch {
    return []
  }
}

const entriesIn = (file: string): Entry[] => readFileSync(file, 'utf8').split('\n').flatMap(parsed)

export function readJournal(sessionId: string | undefined): Entry[] {
  if (!sessionId) return []
  try {
    return entriesIn(sessionFile(sessionId, '.jsonl'))
  } catch {
    return []
  }
}

function move(sessionId: string, taken: string): Entry[] {
  try {
    withSessionLock(sessionId, () => renameSync(sessionFile(sessionId, '.jsonl'), taken))
    return entriesIn(taken)
  } catch {
    return []
  }
}

/** Puts entries back before those that arrived meanwhile. Without room for both, the newer ones stay. */
function giveBack(sessionId: string, taken: string): void {
  const journal = sessionFile(sessionId, '.jsonl')
  try {
    withSessionLock(sessionId, () => {
      if (existsSync(journal)) appendFileSync(taken, readFileSync(journal))
      renameSync(taken, journal)
    })
  } catch {
    // There is no journal, or no room on the disk.
  }
}

/** Only one of two programs gets the entries; if the use fails, the entries return to the journal. */
export function takeJournal<T>(sessionId: string | undefined, use: (entries: Entry[]) => T): T {
  if (!sessionId) return use([])
  const taken = sessionFile(sessionId, `.${process.pid}.taken`)
  const entries = move(sessionId, taken)
  try {
    return use(entries)
  } catch (error) {
    giveBack(sessionId, taken)
    throw error
  } finally {
    rmSync(taken, { force: true })
  }
}

type Failure = { at: string; error: string }

type HookRun = { at: string; ms: number; chars: number; error?: string; lost?: Failure }

const MAX_ERROR_LENGTH = 300

const runLogFile = (agent: string, moment: Moment) =>
  join(settingsFolder(), 'hook-runs', `${agent}.${moment}.json`)

/** How long a loss is reported, in ms. */
const LOSS_IS_SAID_MS = DAY_MS

function lossBefore(agent: string, moment: Moment): Failure | undefined {
  const former = moment === 'capture' ? lastRun(agent, moment) : undefined
  const loss = former?.error ? { at: former.at, error: former.error } : former?.lost
  return loss && Date.parse(loss.at) > Date.now() - LOSS_IS_SAID_MS ? loss : undefined
}

export function noteRun(agent: string, moment: Moment, run: Omit<HookRun, 'at' | 'lost'>): void {
  try {
    const error = run.error?.slice(0, MAX_ERROR_LENGTH)
    const lost = error ? undefined : lossBefore(agent, moment)
    const noted = {
      at: new Date().toISOString(),
      ...run,
      ...(error ? { error } : {}),
      ...(lost ? { lost } : {}),
    }
    writePrivate(runLogFile(agent, moment), JSON.stringify(noted))
  } catch {
    // An unwritable folder must not end a session.
  }
}

export function lastRun(agent: string, moment: Moment): HookRun | undefined {
  try {
    return JSON.parse(readFileSync(runLogFile(agent, moment), 'utf8'))
  } catch {
    return undefined
  }
}
