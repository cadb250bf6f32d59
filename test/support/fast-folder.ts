import { existsSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'

const SHARED_MEMORY = '/dev/shm'
/** What the databases of a whole run take at most, with room to spare. */
const NEEDED_BYTES = 4 * 2 ** 30

function hasRoom(): boolean {
  if (!existsSync(SHARED_MEMORY)) return false
  const { bavail, bsize } = statfsSync(SHARED_MEMORY)
  return Math.min(bavail * bsize, freemem()) >= NEEDED_BYTES
}

/**
 * Where the databases of tests lie: in memory where a machine has it to spare, since making and dropping the hundreds of
 * files of a database costs the file system of a disk more work than the statements cost PostgreSQL.
 */
export const fastFolder = (): string => (hasRoom() ? SHARED_MEMORY : tmpdir())
