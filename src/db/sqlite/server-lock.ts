import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isBusy } from './result-codes.ts'

const NAME = 'server.lock'

/** Keeps the handles from the garbage collector, which would close them. */
const held = new Set<DatabaseSync>()

/**
 * Whether no other server holds this data folder. A file lock ends with its process even after a crash; a
 * process id in a file would stay. Workers and commands do not count as servers. True if unknown.
 */
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
