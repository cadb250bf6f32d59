import { lstatSync, mkdirSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Config } from '../config.ts'

const OWNER_ONLY = { mode: 0o700 }

/** The first part of the path that is not there. */
function firstMissing(path: string): string | undefined {
  let missing: string | undefined
  for (
    let part = resolve(path);
    lstatSync(part, { throwIfNoEntry: false }) === undefined;
    part = dirname(part)
  )
    missing = part
  return missing
}

/**
 * Makes a folder, and those above it, for this user alone. The first one is made by itself: where the system makes none, as
 * below /proc, it says that the path does not exist, and Node then tries to make the parents without end.
 */
export function makeFolder(path: string): void {
  const missing = firstMissing(path)
  try {
    if (missing !== undefined) mkdirSync(missing, OWNER_ONLY)
  } catch (error) {
    // Another process has made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  mkdirSync(path, { recursive: true, ...OWNER_ONLY })
}

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
