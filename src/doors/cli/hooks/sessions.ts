import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MS } from '../../../core/day.ts'
import { settingsFolder } from '../folders.ts'
import { writePrivate } from '../profile.ts'
import { fileNameFor } from './file-names.ts'
import { withLock } from './lock.ts'

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
export function withSessionLock<T>(sessionId: string, work: () => T): T {
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
