import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/db.ts'

const PAUSE_MS = 1000

export type UntilAvailable = {
  stopping: AbortSignal
  /** False once the work is of no use any more. */
  mayGoOn?: () => boolean
  pauseMs?: number
}

/**
 * For a write without which a job would repeat or lose something: while the database is away it is tried again, after a
 * stop once more.
 */
export async function untilAvailable<T>(
  database: Pick<Database, 'isUnavailable'>,
  work: () => Promise<T>,
  { stopping, mayGoOn = () => true, pauseMs = PAUSE_MS }: UntilAvailable,
): Promise<T> {
  for (;;)
    try {
      return await work()
    } catch (error) {
      if (!database.isUnavailable(error) || stopping.aborted || !mayGoOn()) throw error
      await sleep(pauseMs, undefined, { signal: stopping }).catch(() => {})
    }
}
