import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { settingsFolder } from './folders.ts'

/** What hooks remember of a session of the client: until when it has seen the memory, and which message was stored last. */
export type Session = { since?: string; stored?: string }

const KEPT_MS = 30 * 86_400_000

const folder = () => join(settingsFolder(), 'sessions')
const fileOf = (sessionId: string) =>
  join(folder(), `${createHash('sha256').update(sessionId).digest('hex').slice(0, 32)}.json`)

export function readSession(sessionId: string | undefined): Session {
  if (!sessionId) return {}
  try {
    return JSON.parse(readFileSync(fileOf(sessionId), 'utf8'))
  } catch {
    return {}
  }
}

/** A hook that cannot remember still does its work. */
export function rememberSession(sessionId: string | undefined, change: Session): void {
  if (!sessionId) return
  try {
    mkdirSync(folder(), { recursive: true, mode: 0o700 })
    writeFileSync(fileOf(sessionId), JSON.stringify({ ...readSession(sessionId), ...change }), {
      mode: 0o600,
    })
  } catch {
    // A home that cannot be written is the person's choice.
  }
}

/** Sessions of long ago are not resumed any more. */
export function forgetOldSessions(): void {
  try {
    for (const name of readdirSync(folder())) {
      const file = join(folder(), name)
      if (Date.now() - statSync(file).mtimeMs > KEPT_MS) rmSync(file, { force: true })
    }
  } catch {
    // No session was remembered yet, or another hook was faster.
  }
}
