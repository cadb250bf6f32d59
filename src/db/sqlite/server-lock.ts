import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isBusy } from './result-codes.ts'

const NAME = 'server.lock'

/** Keeps the handles from the garbage collector, which would close them. */
const held = new Set<DatabaseSync>()

/** Uses a file lock, which ends with its process even after a crash; true if unknown. */
export function claimFolder(dataDir: string): boolean {
  const file = join(dataDir, NAME)
  let lock: DatabaseSync | undefined
  try {
    closeSync(openSync(file, 'a', 0o600))
    lock = new DatabaseSync(file, { timeout: 0 })
    // Locks without writing: the file stays empty.
    lock.exec('begin exclusive')
    held.add(lock)
    return true
  } catch (error) {
    lock?.close()
    return !isBusy(error)
  }
}

/** Releases the claims of short commands and of tests. */
export function releaseFolders(): void {
  for (const lock of held) lock.close()
  held.clear()
}
