import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isBusy } from './result-codes.ts'

const NAME = 'server.lock'

/** Kept from the collector, which would close them. */
const held = new Set<DatabaseSync>()

/**
 * Whether no other server has said that it runs on this data folder. A lock says so, which the system ends with the process,
 * however that ends: a file with a process id would outlive a crash. Workers are no servers of their own, and neither are
 * the operator's commands. What cannot be known counts as true.
 */
export function claimFolder(dataDir: string): boolean {
  const file = join(dataDir, NAME)
  let lock: DatabaseSync | undefined
  try {
    closeSync(openSync(file, 'a', 0o600))
    lock = new DatabaseSync(file, { timeout: 0 })
    // Writes nothing: the file stays empty.
    lock.exec('begin exclusive')
    held.add(lock)
    return true
  } catch (error) {
    lock?.close()
    return !isBusy(error)
  }
}

/** For commands that claim a folder for a moment, and for tests, whose process goes on. */
export function releaseFolders(): void {
  for (const lock of held) lock.close()
  held.clear()
}
