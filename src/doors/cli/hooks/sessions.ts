import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { settingsFolder } from '../folders.ts'
import { fileNameFor } from './file-names.ts'

/** What hooks remember of a session of an agent. */
export type Session = {
  /** The message that was stored last. */
  stored?: string
  /** What was injected, so that it is not injected again. */
  shown?: string[]
  /** The project of a folder: to ask git costs more than all the rest of a hook. */
  project?: { folder: string; key: string }
  /** It was compacted, and nothing could be injected then. */
  compacted?: boolean
  /** Commands that failed last time, for tests that become green in a later exchange. */
  failing?: string[]
}

const KEPT_MS = 30 * 86_400_000
const MOST_SHOWN = 200

export const sessionsFolder = (): string => join(settingsFolder(), 'sessions')

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

/** A hook that cannot remember still does its work. */
export function rememberSession(sessionId: string | undefined, change: Session): void {
  if (!sessionId) return
  try {
    mkdirSync(sessionsFolder(), { recursive: true, mode: 0o700 })
    const { shown = [], ...rest } = { ...readSession(sessionId), ...change }
    writeFileSync(
      sessionFile(sessionId, '.json'),
      JSON.stringify({ ...rest, shown: shown.slice(-MOST_SHOWN) }),
      { mode: 0o600 },
    )
  } catch {
    // A home that cannot be written is the person's choice.
  }
}

/** Sessions of long ago are not resumed any more. */
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
