import { statfs } from 'node:fs/promises'
import type { Config } from '../config.ts'

const MIB = 1024 * 1024

/** What this user may still write to the disk of a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Whether there is space for files of users: the last part of the disk is reserved for the database. */
export const hasFreeDisk = async ({ dataDir, minFreeDiskMb }: Config): Promise<boolean> =>
  (await freeBytes(dataDir)) >= minFreeDiskMb * MIB

const LOOKED_AT_AGAIN_MS = 5000

/** Whether the disk of the database has space for long texts. The answer is kept for some seconds. */
export class DatabaseSpace {
  readonly #config: Config
  readonly #databaseBytes: (() => Promise<number>) | undefined
  #last: { at: number; isLow: Promise<boolean> } | undefined

  /** `databaseBytes` for a database on a disk that this process does not see. */
  constructor(config: Config, databaseBytes: (() => Promise<number>) | undefined) {
    this.#config = config
    this.#databaseBytes = databaseBytes
  }

  isLow(): Promise<boolean> {
    const now = performance.now()
    if (!this.#last || now - this.#last.at > LOOKED_AT_AGAIN_MS)
      // Where the disk or the database cannot be asked, the write itself says what is wrong.
      this.#last = { at: now, isLow: this.#look().catch(() => false) }
    return this.#last.isLow
  }

  async #look(): Promise<boolean> {
    if (!this.#databaseBytes) return !(await hasFreeDisk(this.#config))
    const { maxDatabaseMb } = this.#config
    return maxDatabaseMb !== undefined && (await this.#databaseBytes()) > maxDatabaseMb * MIB
  }
}
