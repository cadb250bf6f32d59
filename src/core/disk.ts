import { lstatSync, mkdirSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Config } from '../config.ts'

const OWNER_ONLY = { mode: 0o700 }

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

/** The first folder is made alone: below /proc, Node's recursive mkdir loops without end. */
export function makeFolder(path: string): void {
  const missing = firstMissing(path)
  try {
    if (missing !== undefined) mkdirSync(missing, OWNER_ONLY)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  mkdirSync(path, { recursive: true, ...OWNER_ONLY })
}

const MIB = 1024 * 1024

/** Returns how many bytes this user may still write to the disk of a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Whether users' files still fit on the disk: the last part is reserved for the database. */
export const hasFreeDisk = async ({ dataDir, minFreeDiskMb }: Config): Promise<boolean> =>
  (await freeBytes(dataDir)) >= minFreeDiskMb * MIB

const LOOKED_AT_AGAIN_MS = 5000

/** Caches for some seconds whether the disk of the database has space for long texts. */
export class DatabaseSpace {
  readonly #config: Config
  readonly #databaseBytes: (() => Promise<number>) | undefined
  #last: { at: number; isLow: Promise<boolean> } | undefined

  /** `databaseBytes` returns the size of a database on a disk that this process does not see. */
  constructor(config: Config, databaseBytes: (() => Promise<number>) | undefined) {
    this.#config = config
    this.#databaseBytes = databaseBytes
  }

  isLow(): Promise<boolean> {
    const now = performance.now()
    if (!this.#last || now - this.#last.at > LOOKED_AT_AGAIN_MS)
      // If the check fails, the write itself reports the error.
      this.#last = { at: now, isLow: this.#look().catch(() => false) }
    return this.#last.isLow
  }

  async #look(): Promise<boolean> {
    if (!this.#databaseBytes) return !(await hasFreeDisk(this.#config))
    const { maxDatabaseMb } = this.#config
    return maxDatabaseMb !== undefined && (await this.#databaseBytes()) > maxDatabaseMb * MIB
  }
}
