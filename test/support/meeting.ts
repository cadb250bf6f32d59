import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { SELF_GUARDED } from '../../src/core/context.ts'
import type { Db } from '../../src/db/db.ts'
import type { TestVault } from './engines.ts'

/** On a cluster a coordinator does not show that a statement waits on another node. */
const MAX_WAIT_TIME_MS = 2000

/** Whether a statement waits for a lock of another one. */
export const isAnyWaiting = async (db: Db): Promise<boolean> => {
  const { rows } = await sql`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows.length > 0
}

/**
 * Two writers that meet, in every execution of a test: `first` has written in a transaction that ends only when `second`
 * waits for it. On SQLite the second always waits. Returns what the second answers.
 */
export async function meeting<T>(
  { app, engine }: TestVault,
  first: (db: Db) => Promise<unknown>,
  second: () => Promise<T>,
): Promise<T> {
  const { database } = app.services
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const holding = database.transaction(async (db) => {
    await first(db)
    begun.resolve()
    await end.promise
  }, SELF_GUARDED)
  await Promise.race([begun.promise, holding])
  let isAnswered = false
  const answer = second().finally(() => {
    isAnswered = true
  })
  const until = Date.now() + MAX_WAIT_TIME_MS
  while (engine === 'postgres' && !isAnswered && Date.now() < until && !(await isAnyWaiting(database.read)))
    await sleep(5)
  end.resolve()
  await holding
  return answer
}
