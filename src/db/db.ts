import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, type KyselyPlugin, SqliteAdapter, sql } from 'kysely'
import type { Schema } from './schema.ts'

export type Db = Kysely<Schema>
export type EngineName = 'sqlite' | 'postgres'

export type TransactionOptions = {
  /** `serializable`, unless the transaction is `SELF_GUARDED` (core/context.ts). SQLite has one level. */
  isolation?: 'serializable' | 'read committed'
  /** `true` lets two serialisable transactions run at once on PostgreSQL, if they only add rows. */
  twoAtOnce?: boolean
  /** On PostgreSQL: no statement timeout. On SQLite: waits for another process's lock without a limit. */
  mayTakeLong?: boolean
}

export type Database = {
  engine: EngineName
  /** Whether the tables are distributed over a cluster (distribution.ts). */
  isDistributed: boolean
  /** For reads outside a transaction that must see every commit: of credentials, jobs and unknown callers. */
  read: Db
  /** For one person's reads: perhaps from a replica, but only from one that has this person's writes. */
  readFor: (userId: string) => Db
  /** Call after a commit and before its answer: these people's next read then shows the write. */
  wrote: (userIds: readonly string[]) => Promise<void>
  transaction: <T>(fn: (tx: Db) => Promise<T>, options?: TransactionOptions) => Promise<T>
  /** Returns how long (ms) the oldest waiting call has waited. */
  waitMs: (work: 'read' | 'write') => number
  /** Runs a request. It gets database connections before requests that arrived later. */
  serve: (since: number, request: () => void) => void
  /** Changes when a credential may have been revoked; while undefined, no credential may be cached. */
  credentialsVersion: () => number | undefined
  /** Returns false if the database is read-only. */
  takesWrites: () => Promise<boolean>
  isUniqueViolation: (error: unknown) => boolean
  /** Whether the database is unreachable or read-only now, so that a retry may succeed. */
  isUnavailable: (error: unknown) => boolean
  close: () => Promise<void>
}

/** For work before the start: all processes do it at once, and a timeout would end them all. */
export const withPatience = (database: Database): Database => ({
  ...database,
  transaction: (fn, options) => database.transaction(fn, { ...options, mayTakeLong: true }),
})

/** Whether a handle is SQLite, for statements built without a context; elsewhere use `ctx.database.engine`. */
export const isSqlite = (db: Db): boolean => db.getExecutor().adapter instanceof SqliteAdapter

export const databaseSizeOf = (database: Database): (() => Promise<number>) | undefined =>
  database.engine === 'postgres' ? () => databaseBytes(database) : undefined

async function databaseBytes({ read, isDistributed }: Database): Promise<number> {
  const size = isDistributed
    ? sql<{ bytes: number }>`select sum(result::bigint)::bigint as bytes
        from run_command_on_all_nodes('select pg_database_size(current_database())')`
    : sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`
  const { rows } = await size.execute(read)
  return Number(rows[0]?.bytes ?? 0)
}

/** Runs a compiled query without the connection pool and its promises (SQLite). */
type RunCompiled = (sql: string, parameters: readonly unknown[]) => unknown[]

const direct = new WeakMap<Db, RunCompiled>()

/** Registers a shorter way to run compiled queries on this handle. */
export const runDirectly = (db: Db, run: RunCompiled): void => void direct.set(db, run)

export const directRun = (db: Db): RunCompiled | undefined => direct.get(db)

/** The database file is damaged; writing to it would make the damage worse. */
export class DamagedDatabase extends Error {
  override readonly name = 'DamagedDatabase'
}

/** The vault's file existed at the start and is missing now. A new file would hide that all data is gone. */
export class VaultGone extends Error {
  override readonly name = 'VaultGone'

  constructor(file: string) {
    super(
      `${file} is missing, though it was there when the program started. Bring it back, or mount its disk. For a new vault start the program anew.`,
    )
  }
}

export class RunAgain extends Error {
  override readonly name = 'RunAgain'
}

/** Facts that a transaction must report after its commit. */
type TransactionMark = { tookCredentials: boolean }

const openTransaction = new AsyncLocalStorage<TransactionMark>()

/** Refuses a nested transaction: it would deadlock on SQLite and be independent on PostgreSQL. */
export function newTransactionMark(): TransactionMark {
  if (openTransaction.getStore())
    throw new Error('A transaction was begun inside a transaction: use inTx(ctx, …)')
  return { tookCredentials: false }
}

export const runMarked = <T>(mark: TransactionMark, fn: () => Promise<T>): Promise<T> =>
  openTransaction.run(mark, fn)

/** Notes that a statement of this transaction may have revoked a credential. */
export function noteTakenCredentials(): void {
  const mark = openTransaction.getStore()
  if (mark) mark.tookCredentials = true
}

/** Throws inside a transaction: the root handle would not see its writes. */
export function refuseInTransaction(): void {
  if (openTransaction.getStore()) throw new Error('The root handle was used inside a transaction: use ctx.db')
}

/** Guards queries that Kysely builds on the root handle. */
export const rootHandleGuard: KyselyPlugin = {
  transformQuery({ node }) {
    refuseInTransaction()
    return node
  },
  // Prepared queries skip Kysely's builder and pass only here.
  async transformResult({ result }) {
    refuseInTransaction()
    return result
  },
}

/** Throws if slow work runs inside a transaction: on SQLite every other write would wait. */
export function refuseWhileWriting(what: string): void {
  if (openTransaction.getStore())
    throw new Error(`${what} inside a transaction keeps every other write waiting`)
}

/** Columns that decide who owns a credential and what it may do, by table. */
const DECIDING_COLUMNS: Record<string, ReadonlySet<string>> = {
  api_keys: new Set(['key_hash', 'user_id', 'scopes', 'expires_at']),
  sessions: new Set(['token_hash', 'user_id']),
  users: new Set(['email_normal', 'email_verified', 'service_admin', 'deleted_at']),
  oauth_grants: new Set(['user_id', 'resource']),
  oauth_tokens: new Set(['token_hash', 'scopes', 'expires_at']),
}

const TABLES = Object.keys(DECIDING_COLUMNS).join('|')
const NAME = `"?(${TABLES})"?(?!\\w)`
const TABLE = `"?(?<table>${TABLES})"?(?!\\w)`
const MENTIONED = new RegExp(`\\b${NAME}`, 'i')
/** Statements that remove rows or the whole table. */
const REMOVES = new RegExp(
  `\\b(delete\\s+from|truncate(\\s+table)?|drop\\s+table(\\s+if\\s+exists)?|alter\\s+table|replace\\s+into|merge\\s+into)\\s+(only\\s+)?${NAME}`,
  'i',
)
const UPDATES = new RegExp(
  `\\bupdate\\s+(or\\s+\\w+\\s+)?(only\\s+)?${TABLE}[^;]*?\\bset\\s+(?<columns>[^;]*)`,
  'gi',
)
const UPSERTS = new RegExp(
  `\\binsert\\s+(or\\s+replace\\s+)?into\\s+${TABLE}[^;]*?\\bdo\\s+update\\s+set\\s+(?<columns>[^;]*)`,
  'gi',
)
const REPLACES = new RegExp(`\\binsert\\s+or\\s+replace\\s+into\\s+${NAME}`, 'i')
const ASSIGNED = /\b(\w{1,63})"?\s{0,9}=/g
const END_OF_ASSIGNMENTS = /\b(where|returning|from)\b/i

/** Whether an assigned column is a deciding one; true if the columns cannot be read. */
function setsDecidingColumn(table: string, columns: string): boolean {
  const [assignments = ''] = columns.split(END_OF_ASSIGNMENTS, 1)
  const names = Array.from(assignments.matchAll(ASSIGNED), (match) => match[1] ?? '')
  const deciding = DECIDING_COLUMNS[table.toLowerCase()]
  return names.length === 0 || names.some((name) => deciding?.has(name.toLowerCase()))
}

/** Whether a statement may revoke a credential; unclear ones count, since an extra look-up is cheap. */
export function takesCredentials(statement: string): boolean {
  if (!MENTIONED.test(statement)) return false
  if (REMOVES.test(statement) || REPLACES.test(statement)) return true
  for (const pattern of [UPDATES, UPSERTS])
    for (const match of statement.matchAll(pattern))
      if (setsDecidingColumn(match.groups?.table ?? '', match.groups?.columns ?? '')) return true
  return false
}

const PAUSE_MS = 1000

export type UntilAvailable = {
  stopping: AbortSignal
  mayGoOn?: () => boolean
  pauseMs?: number
}

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
