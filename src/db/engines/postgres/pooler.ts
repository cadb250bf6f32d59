import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import type { Database } from '../../db.ts'
import { DatabaseUnusable, explainUnusable } from './unusable.ts'

/** The pooler's settings would break a guarantee of the server. */
class PoolerSettings extends Error {
  override readonly name = 'PoolerSettings'
}

type Session = { durable: string; statement_timeout: string; idle_timeout: string }

/**
 * Behind a pooler the server cannot set up its own connections. It checks the settings that the pooler gave them and
 * refuses to start if a guarantee would not hold. deploy/pgbouncer/pgbouncer.ini has the line that sets them.
 */
export async function requirePoolerSettings(database: Database): Promise<void> {
  const { rows } = await sql<Session>`
    select current_setting('synchronous_commit') as durable,
      current_setting('statement_timeout') as statement_timeout,
      current_setting('idle_in_transaction_session_timeout') as idle_timeout
  `.execute(database.read)
  const [session] = rows
  const wrong = [
    ...(session?.durable === 'off' ? ['synchronous_commit is off: acknowledged writes could be lost'] : []),
    ...(session?.statement_timeout === '0' ? ['statement_timeout is 0: a statement could run for ever'] : []),
    ...(session?.idle_timeout === '0'
      ? ['idle_in_transaction_session_timeout is 0: a lost client could hold its locks for ever']
      : []),
  ]
  if (wrong.length > 0)
    throw new PoolerSettings(
      `The pooler at DATABASE_URL opens connections without the settings that the server needs (${wrong.join('; ')}). Copy the connect_query from deploy/pgbouncer/pgbouncer.ini.`,
    )
}

const HEARD_MS = 5000

/**
 * What is said through the pooler must be heard on the direct way, once for each process that starts: otherwise it leads to
 * another database, of which backups would be made, or through a pooler itself, where nobody hears anything.
 */
export async function requireDirectWay(directUrl: string, { read }: Database): Promise<void> {
  const channel = `direct_way_${crypto.randomUUID()}`
  const client = new pg.Client({ connectionString: directUrl, connectionTimeoutMillis: 10_000 })
  // A connection that breaks fails the query that waits; unheard, it would also end the process.
  client.on('error', () => {})
  try {
    await explainUnusable(directUrl, () => client.connect(), 'DATABASE_DIRECT_URL')
    await client.query(`listen "${channel}"`)
    const heard = new Promise<true>((resolve) => client.once('notification', () => resolve(true)))
    // It may wait for a busy pooler. Only what was said can be heard, so the time begins after it.
    await sql`select pg_notify(${channel}, '')`.execute(read)
    if (!(await Promise.race([heard, sleep(HEARD_MS, false, { ref: false })])))
      throw new DatabaseUnusable(
        directUrl,
        'it is not the database behind DATABASE_URL, or leads through a pooler itself',
        'DATABASE_DIRECT_URL',
      )
  } finally {
    await client.end().catch(() => {})
  }
}
