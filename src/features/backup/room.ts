import { stat } from 'node:fs/promises'
import type { Config } from '../../config.ts'
import { hasFreeDisk } from '../../core/free-disk.ts'

/** How much is written between two looks at the disk. */
const LOOK_EVERY_BYTES = 8 * 1024 * 1024
const FULL = new Set<unknown>(['ENOSPC', 'EDQUOT'])

class NoRoom extends Error {
  override readonly name = 'NoRoom'
}

export const isNoRoom = (error: unknown): boolean =>
  error instanceof NoRoom || (error instanceof Error && 'code' in error && FULL.has(error.code))

/**
 * On the disk of the vault the last part is reserved for the database, as it is from files of users. On another disk a
 * backup may take all that is free.
 */
export async function requireRoom(config: Config, dir: string): Promise<void> {
  const [backups, vault] = await Promise.all([stat(dir), stat(config.dataDir)])
  if (backups.dev !== vault.dev || (await hasFreeDisk(config))) return
  throw new NoRoom(
    `The backup does not fit: it would leave less than ${config.minFreeDiskMb} MB (MIN_FREE_DISK_MB) on the disk of the vault. Make room, set BACKUP_DIR to another disk, or lower BACKUP_KEEP and remove old backups. The next try is in an hour.`,
  )
}

/** Passes on what is written, and looks at the disk first. */
export async function* watchRoom(
  source: AsyncIterable<Buffer>,
  look: () => Promise<void>,
): AsyncGenerator<Buffer> {
  let sinceLook = LOOK_EVERY_BYTES
  for await (const chunk of source) {
    if (sinceLook >= LOOK_EVERY_BYTES) {
      await look()
      sinceLook = 0
    }
    sinceLook += chunk.length
    yield chunk
  }
}
