import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import type { Ctx } from '../../core/context.ts'
import { freeBytes } from '../../core/free-disk.ts'
import type { CheckResult } from './check.ts'

/** With less, a write fails now or in a moment. */
const FULL_BELOW_MB = 8

/** Reading goes on without free space, so this alone does not make the service unready. */
export const DISK_FULL = `Less than ${FULL_BELOW_MB} MB are free in DATA_DIR: writing fails, reading goes on`

/** Whether files can be written in the data folder. */
export async function checkDisk({ config: { dataDir } }: Ctx): Promise<CheckResult> {
  try {
    await access(dataDir, constants.W_OK)
    if ((await freeBytes(dataDir)) >= FULL_BELOW_MB * 1024 * 1024) return { status: 'ok' }
    return { status: 'failed', detail: DISK_FULL }
  } catch {
    return { status: 'failed', detail: 'DATA_DIR is not writable' }
  }
}
