import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import type { Database } from '../db.ts'
import { isClosedDatabase } from './postgres.ts'

/** The configured database cannot be used; only the operator can change that. */
export class DatabaseUnusable extends Error {
  override readonly name = 'DatabaseUnusable'

  constructor(url: string, reason: string, variable = 'DATABASE_URL') {
    super(`The database at ${addressOf(url)} cannot be used: ${reason}. Check ${variable}.`)
  }
}

function addressOf(url: string): string {
  const connectionString = url.replaceAll(/(?<=[?&])ssl(rootcert|cert|key)=[^&]*/g, '')
  const { host, port, database } = new pg.Client({ connectionString })
  return `${host}:${port}/${database}`
}

const SILENT = 'it does not answer'
const UNKNOWN_HOST = 'this host is unknown'

const BY_CODE: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it closes the connection',
  EPIPE: 'it closes the connection',
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
  ETIMEDOUT: SILENT,
  EHOSTUNREACH: SILENT,
  ENETUNREACH: SILENT,
  ENOENT: 'there is no such socket',
  EACCES: 'this user may not open the socket',
}

/** Messages without a code in pg, or with the one code that PgBouncer uses for everything. */
const BY_MESSAGE: [RegExp, string][] = [
  [/^SASL: .*password must be/, 'it asks for a password, and the URL has none'],
  [/^The server does not support SSL/, 'it has no TLS, but sslmode asks for it'],
  [/^unsupported startup parameter/, 'it leads through a pooler, which needs DATABASE_DIRECT_URL beside it'],
  [/^(timeout exceeded when trying to connect|Connection terminated due to connection timeout)/, SILENT],
  [/^Connection terminated/, 'it closes the connection'],
]

/** SQLSTATEs for no permission, database, schema or connections; PgBouncer uses 08P01 for all of them. */
const SAID_BY_SERVER = /^(08P01|25006|28|3D000|3F000|42501|53|57P0)/

/** Codes of an invalid certificate, or of two sides without a common TLS version. */
const TLS_CODE = /CERT|ERR_TLS|ERR_SSL|UNABLE_TO_VERIFY|EPROTO/

const firstLine = (text: string) => text.split('\n', 1)[0]?.replace(/\.$/, '') ?? ''

function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if ('syscall' in error && error.syscall === 'open' && 'path' in error)
    return `${error.path} cannot be read (${code})`
  const said = BY_MESSAGE.find(([pattern]) => pattern.test(error.message))?.[1]
  if (said !== undefined || code === undefined) return said
  if (error instanceof pg.DatabaseError)
    return SAID_BY_SERVER.test(code) || isClosedDatabase(error) ? firstLine(error.message) : undefined
  return BY_CODE[code] ?? (TLS_CODE.test(code) ? firstLine(error.message) : undefined)
}

/** Runs the first use of the database and explains a failure whose cause is outside the program. */
export async function explainUnusable<T>(url: string, use: () => Promise<T>, variable?: string): Promise<T> {
  try {
    return await use()
  } catch (error) {
    const reason = reasonOf(error)
    throw reason === undefined ? error : new DatabaseUnusable(url, reason, variable)
  }
}

/** Refuses a database without UTF-8: other encodings cannot store some letters, or cut a letter in two. */
export async function requireUtf8(url: string, { read }: Database): Promise<void> {
  const { rows } = await sql<{ is: string }>`select current_setting('server_encoding') as is`.execute(read)
  const encoding = rows[0]?.is
  if (encoding !== 'UTF8')
    throw new DatabaseUnusable(
      url,
      `its encoding is ${encoding}; make one by: create database … encoding 'UTF8' template template0`,
    )
}

/** Checks the database first: later errors may come from files, which share codes with socket errors. */
export const requireUsable = (url: string, database: Database): Promise<void> =>
  explainUnusable(url, () => requireUtf8(url, database))

/** Requires Citus before the first migration, so that a plain PostgreSQL gets no tables by mistake. */
export async function requireCitus(url: string, database: Database): Promise<void> {
  const { rows } = await sql`select 1 from pg_extension where extname = 'citus'`.execute(database.read)
  if (rows.length === 0) throw new DatabaseUnusable(url, 'it has no extension citus', 'DATABASE_DISTRIBUTED')
}

class PoolerSettings extends Error {
  override readonly name = 'PoolerSettings'
}

type Session = { durable: string; statement_timeout: string; idle_timeout: string }

/** Behind a pooler the server cannot set these; must stay in step with deploy/pgbouncer/pgbouncer.ini. */
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

/** Checks by NOTIFY that both URLs lead to one database; a wrong URL would back up another database. */
export async function requireDirectWay(directUrl: string, { read }: Database): Promise<void> {
  const channel = `direct_way_${crypto.randomUUID()}`
  const client = new pg.Client({ connectionString: directUrl, connectionTimeoutMillis: 10_000 })
  // Without a listener, a broken connection would end the process.
  client.on('error', () => {})
  try {
    await explainUnusable(directUrl, () => client.connect(), 'DATABASE_DIRECT_URL')
    await client.query(`listen "${channel}"`)
    const heard = new Promise<true>((resolve) => client.once('notification', () => resolve(true)))
    // The timeout begins after the notification is sent, because the pooler may be busy.
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
