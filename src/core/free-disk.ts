import { statfs } from 'node:fs/promises'
import type { Config } from '../config.ts'

/** What this user may still write to the disk of a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Whether there is space for files of users: the last part of the disk is reserved for the database. */
export const hasFreeDisk = async ({ dataDir, minFreeDiskMb }: Config): Promise<boolean> =>
  (await freeBytes(dataDir)) >= minFreeDiskMb * 1024 * 1024
