import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeSpoolFolder, spoolFolder } from './spool.ts'

/** A holder that has not renewed its lock for this long has died. */
const STALE_MS = 60_000

const lockFile = () => join(spoolFolder(), 'lock')

export type Lock = {
  /** Renews the lock; false if another program has taken it over. */
  renew: () => boolean
  release: () => void
}

const holder = (): string | undefined => {
  try {
    return readFileSync(lockFile(), 'utf8')
  } catch {
    return undefined
  }
}

const isStale = (staleMs: number): boolean => {
  const found = statSync(lockFile(), { throwIfNoEntry: false })
  return found !== undefined && Date.now() - found.mtimeMs > staleMs
}

/** Creating a link fails if the name exists, so only one of two programs gets the lock. */
function take(token: string): boolean {
  const own = join(spoolFolder(), `.${token}.lock`)
  writeFileSync(own, token, { mode: 0o600 })
  try {
    linkSync(own, lockFile())
    return true
  } catch {
    return false
  } finally {
    rmSync(own, { force: true })
  }
}

/** Moves a stale lock away. If another program has just replaced it, its fresh lock is put back. */
function removeStale(seen: string): void {
  const away = join(spoolFolder(), `.${randomUUID()}.stale`)
  try {
    renameSync(lockFile(), away)
    if (readFileSync(away, 'utf8') !== seen) linkSync(away, lockFile())
  } catch {
    // Somebody else was faster.
  } finally {
    rmSync(away, { force: true })
  }
}

function lockOf(token: string): Lock {
  return {
    renew: () => {
      if (holder() !== token) return false
      const now = new Date()
      utimesSync(lockFile(), now, now)
      return true
    },
    release: () => {
      if (holder() === token) rmSync(lockFile(), { force: true })
    },
  }
}

/** The right to send, for one program at a time; undefined while another one has it. */
export function takeLock(staleMs = STALE_MS): Lock | undefined {
  makeSpoolFolder()
  const token = randomUUID()
  if (take(token)) return lockOf(token)
  const seen = holder()
  if (seen === undefined || !isStale(staleMs)) return undefined
  removeStale(seen)
  return take(token) ? lockOf(token) : undefined
}
