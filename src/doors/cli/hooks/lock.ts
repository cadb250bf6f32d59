import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'

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

type Patience = { patienceMs: number; staleMs: number }

function awaitLock(file: string, { patienceMs, staleMs }: Patience): Lock | undefined {
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
export function withLock<T>(file: string, patience: Patience, work: () => T): T {
  const lock = awaitLock(file, patience)
  try {
    return work()
  } finally {
    lock?.release()
  }
}
