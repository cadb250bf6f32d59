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

const LONGEST_NAME = 150
const LONGEST_ID = 200

function hashOf(text: string): string {
  const { createHash }: typeof import('node:crypto') = require('node:crypto')
  return `h${createHash('sha256').update(text).digest('hex')}`
}

/**
 * A file name for a text that others chose, such as a session id or a folder. The text itself is never part of a path. A hash
 * is made for long texts only, because loading node:crypto takes a tenth of a hook's time.
 */
function fileNameFor(text: string): string {
  const name = Buffer.from(text).toString('base64url')
  return name.length <= LONGEST_NAME ? `t${name}` : hashOf(text)
}

/** The id of a session as the vault takes it: it refuses a longer one, and one with control characters. */
export const storableId = (id: string): string =>
  id.length <= LONGEST_ID && !/\p{Cc}/u.test(id) && id.isWellFormed() ? id : hashOf(id)

export type Lock = {
  /** Renews the lock; false if another program has taken it over. */
  renew: () => boolean
  release: () => void
}

/** Not by node:crypto: loading it takes a tenth of a hook's time. */
const newToken = (): string => `${process.pid}-${process.hrtime.bigint()}-${Math.random()}`

const holder = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** A time in the future is of a clock that was put right since: nobody renews that lock either. */
const isStale = (file: string, staleMs: number): boolean => {
  const found = statSync(file, { throwIfNoEntry: false })
  return found !== undefined && Math.abs(Date.now() - found.mtimeMs) > staleMs
}

/** Creating a file fails if the name exists, so only one of two programs gets the lock. */
function create(file: string): number | undefined {
  try {
    return openSync(file, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw error
  }
}

/** A full disk has room for the name, but not for the token: a lock of nobody would keep others waiting. */
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

/** Moves a stale lock away. If another program has just replaced it, its fresh lock is put back. */
function removeStale(file: string, seen: string): void {
  const away = `${file}.${newToken()}.stale`
  try {
    renameSync(file, away)
    if (readFileSync(away, 'utf8') !== seen) linkSync(away, file)
  } catch {
    // Somebody else was faster.
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

/**
 * The right to change something, for one program at a time; undefined while another one has it. A holder that has not
 * renewed its lock for `staleMs` has died. The folder must be there.
 */
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
    // A full disk has no room for a lock. What needs no room, such as moving a file, works there all the same.
    return undefined
  }
}

/**
 * Does something short while no other program does the same. After `patienceMs` it is done all the same: a person waits
 * for the hook, and the worst that can happen is that one of two notes is lost.
 */
export function withLock<T>(file: string, patience: LockTimeouts, work: () => T): T {
  const lock = awaitLock(file, patience)
  try {
    return work()
  } finally {
    lock?.release()
  }
}

/** What hooks remember of a session of an agent. */
export type Session = {
  /** The message that was stored last. */
  stored?: string
  /** Ids of injected items, so that they are not injected again. */
  shown?: string[]
  /** The vault was asked and not heard: what it sent is not in `shown`. */
  unheard?: boolean
  /** The project of a folder: asking git takes longer than the rest of a hook. */
  project?: { folder: string; key: string }
  /** It was compacted, and the agent allowed no injection then. */
  compacted?: boolean
  /** Commands that failed last, for tests that pass in a later exchange. */
  failing?: string[]
}

const KEPT_MS = 30 * DAY_MS
const MOST_SHOWN = 200

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

/** Both are far more than a note takes. The lock of a hook that was killed keeps others waiting no longer. */
const WAIT = { patienceMs: 400, staleMs: 2000 }

/** Does something short to the files of a session while no other hook of it does. */
function withSessionLock<T>(sessionId: string, work: () => T): T {
  mkdirSync(sessionsFolder(), { recursive: true, mode: 0o700 })
  return withLock(sessionFile(sessionId, '.lock'), WAIT, work)
}

/**
 * Notes a change; one that adds to what is there is a function of it. Two hooks of a session may do so at once, and both
 * notes stay. A hook still works if this fails.
 */
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
      const text = JSON.stringify({ ...rest, shown: shown.slice(-MOST_SHOWN) })
      writePrivate(sessionFile(sessionId, '.json'), text)
    })
  } catch {
    // If the home folder is read-only, nothing is remembered.
  }
}

/** Drops sessions that are too old to be resumed. */
export function forgetOldSessions(): void {
  try {
    for (const name of readdirSync(sessionsFolder())) {
      const file = join(sessionsFolder(), name)
      if (Date.now() - statSync(file).mtimeMs > KEPT_MS) rmSync(file, { force: true })
    }
  } catch {
    // No session was remembered yet, or another hook was faster.
  }
}

const fileOf = (folder: string): string =>
  join(settingsFolder(), 'environments', `${fileNameFor(folder)}.json`)

/** Reading lock files takes longer than the rest of a hook, so the other moments use what the last capture found. */
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
    // The next capture tries again.
  }
}

/** What happened in a session since the last exchange was captured, one line each. It stays on this machine. */
export type Entry = { prompt: string } | { reply: string } | { run: CommandRun } | { files: string[] }

/** What was done is noted up to here. What was said is noted beyond, since nothing is captured without it. */
const MOST_BYTES = 2 * 1024 * 1024
/** So much is left only by words to which no answer came for long: the journal begins again with the next. */
const MOST_BYTES_WITH_WORDS = 2 * MOST_BYTES
const LONGEST_OUTPUT = 8000
const LONGEST_COMMAND = 2000
const MAX_SESSION_ID_LENGTH = 200
const LONGEST_WORDS = 20_000
const MOST_FILES = 100
const LONGEST_FILE_NAME = 1000

/** Redaction takes too long to load here; it comes with the capture. */
function shortened(entry: Entry): Entry {
  if ('prompt' in entry) return { prompt: startToRedact(entry.prompt, LONGEST_WORDS) }
  if ('reply' in entry) return { reply: startToRedact(entry.reply, LONGEST_WORDS) }
  if ('files' in entry)
    return { files: entry.files.filter((name) => name.length <= LONGEST_FILE_NAME).slice(0, MOST_FILES) }
  const { command, exitCode, output, id } = entry.run
  return {
    run: {
      command: startToRedact(command, LONGEST_COMMAND),
      exitCode,
      output: outputToRedact(output, LONGEST_OUTPUT),
      ...(id === undefined ? {} : { id: id.slice(0, MAX_SESSION_ID_LENGTH) }),
    },
  }
}

/**
 * A line is appended in one write, so that the lines of concurrent hooks do not mix. It begins with a line end: of one
 * that a full disk has cut, nothing else is lost. Under the lock, because a file that is taken while it is open for the
 * line takes the line with it, unread.
 */
function append(file: string, entry: Entry): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const isWords = 'prompt' in entry || 'reply' in entry
  if (size > MOST_BYTES && !isWords) return
  const line = `\n${JSON.stringify(shortened(entry))}\n`
  writeFileSync(file, line, { mode: 0o600, flag: size > MOST_BYTES_WITH_WORDS ? 'w' : 'a' })
}

export function note(sessionId: string | undefined, entry: Entry): void {
  if (!sessionId) return
  try {
    withSessionLock(sessionId, () => append(sessionFile(sessionId, '.jsonl'), entry))
  } catch {
    // If the home folder is read-only, nothing is remembered.
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

/** Lines that came in meanwhile are the later ones. Where there is no room to join both, those stay. */
function giveBack(sessionId: string, taken: string): void {
  const journal = sessionFile(sessionId, '.jsonl')
  try {
    withSessionLock(sessionId, () => {
      if (existsSync(journal)) appendFileSync(taken, readFileSync(journal))
      renameSync(taken, journal)
    })
  } catch {
    // There was no journal, or no room.
  }
}

/**
 * Takes all entries for one use. Of two programs at once, only one gets them. If the use fails, as on a full disk, they
 * are in the journal again, for the next exchange.
 */
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

/**
 * How one moment of one agent last ran, for `kvault doctor`: hooks are silent, so nobody would notice a failing one. `lost` is
 * an earlier failure to keep something, which the next exchange would hide.
 */
export type HookRun = { at: string; ms: number; chars: number; error?: string; lost?: Failure }

const LONGEST_ERROR = 300

const runLogFile = (agent: string, moment: Moment) =>
  join(settingsFolder(), 'hook-runs', `${agent}.${moment}.json`)

/** Long enough for somebody to ask. */
const LOSS_IS_SAID_MS = DAY_MS

function lossBefore(agent: string, moment: Moment): Failure | undefined {
  const former = moment === 'capture' ? lastRun(agent, moment) : undefined
  const loss = former?.error ? { at: former.at, error: former.error } : former?.lost
  return loss && Date.parse(loss.at) > Date.now() - LOSS_IS_SAID_MS ? loss : undefined
}

export function noteRun(agent: string, moment: Moment, run: Omit<HookRun, 'at' | 'lost'>): void {
  try {
    const error = run.error?.slice(0, LONGEST_ERROR)
    const lost = error ? undefined : lossBefore(agent, moment)
    const noted = {
      at: new Date().toISOString(),
      ...run,
      ...(error ? { error } : {}),
      ...(lost ? { lost } : {}),
    }
    writePrivate(runLogFile(agent, moment), JSON.stringify(noted))
  } catch {
    // A folder that cannot be written must not end a session.
  }
}

export function lastRun(agent: string, moment: Moment): HookRun | undefined {
  try {
    return JSON.parse(readFileSync(runLogFile(agent, moment), 'utf8'))
  } catch {
    return undefined
  }
}
