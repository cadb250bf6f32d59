import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { SELF_GUARDED } from '../../src/core/context.ts'
import type { Database, Db } from '../../src/db/db.ts'
import type { TestVault } from './engines.ts'

/** Returns how many statements wait for a lock of another one. A cluster's may wait on any server. */
export async function waitingStatements({ read, isDistributed }: Database): Promise<number> {
  const [activity, process] = isDistributed
    ? ['citus_stat_activity', 'global_pid']
    : ['pg_stat_activity', 'pid']
  const { rows } = await sql`select distinct ${sql.ref(process)} from ${sql.table(activity)}
    where datname = current_database() and wait_event_type = 'Lock'`.execute(read)
  return rows.length
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
  while (engine === 'postgres' && !isAnswered && (await waitingStatements(database)) === 0) await sleep(5)
  end.resolve()
  await holding
  return answer
}
