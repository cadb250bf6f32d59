import { statfs } from 'node:fs/promises'
import type { Config } from '../config.ts'

/** Whether there is space for files of users: the last part of the disk is reserved for the database. */
export async function hasFreeDisk({ dataDir, minFreeDiskMb }: Config): Promise<boolean> {
  const { bavail, bsize } = await statfs(dataDir)
  return bavail * bsize >= minFreeDiskMb * 1024 * 1024
}
