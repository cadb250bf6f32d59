import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, type KyselyPlugin, SqliteAdapter, sql } from 'kysely'
import type { Schema } from './schema.ts'

export type Db = Kysely<Schema>
export type EngineName = 'sqlite' | 'postgres'

export type TransactionOptions = {
  /** Serialisable, unless the transaction is `SELF_GUARDED` (core/context.ts). SQLite has one level. */
  isolation?: 'serializable' | 'read committed'
  /**
   * On PostgreSQL, serialisable transactions of one process run one after the other (transaction-queue.ts). `true` is for
   * a frequent one that only adds rows: two of these run at once.
   */
  twoAtOnce?: boolean
  /** On PostgreSQL: its statements have no time limit. On SQLite: its wait for the lock of another process has none. */
  mayTakeLong?: boolean
}

export type Database = {
  engine: EngineName
  /** Whether the tables are spread over the nodes of a cluster (distribution.ts). */
  isDistributed: boolean
  /** For reads outside a transaction that must see everything committed: of credentials, of jobs, of unknown callers. */
  read: Db
  /** For one person's reads: perhaps from a replica, but never from one that lacks what this person wrote. */
  readFor: (userId: string) => Db
  /** After a commit and before its answer: the next read of these people, through any node, must show it. */
  wrote: (userIds: readonly string[]) => Promise<void>
  transaction: <T>(fn: (tx: Db) => Promise<T>, options?: TransactionOptions) => Promise<T>
  /** For how long the oldest waiting call has waited to read, or to write. */
  waitMs: (work: 'read' | 'write') => number
  /** Runs a request; whenever it has to wait for the database, those that came after it wait behind it. */
  serve: (since: number, request: () => void) => void
  /**
   * Changes whenever something that a credential depends on may have been revoked: at once if this process did it,
   * within a moment if another did. Undefined while that is unknown; then no credential is cached.
   */
  credentialsVersion: () => number | undefined
  /** False where reading goes on and every write would fail. */
  takesWrites: () => Promise<boolean>
  isUniqueViolation: (error: unknown) => boolean
  /** The database cannot be reached or written now; a later try may work. */
  isUnavailable: (error: unknown) => boolean
  close: () => Promise<void>
}

/**
 * The same database for work before the service answers. All processes do that work at the same moment, and one that gave up
 * waiting for another would end them all.
 */
export const withPatience = (database: Database): Database => ({
  ...database,
  transaction: (fn, options) => database.transaction(fn, { ...options, mayTakeLong: true }),
})

/** For statements that are built before a context is at hand; elsewhere `ctx.database.engine` says it. */
export const isSqlite = (db: Db): boolean => db.getExecutor().adapter instanceof SqliteAdapter

/** How to ask for the size of a PostgreSQL database, on a cluster that of all nodes. SQLite lies on the disk of DATA_DIR. */
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

/** Runs a compiled query. SQLite answers at once, without the connection pool and the promises around it. */
export type RunCompiled = (sql: string, parameters: readonly unknown[]) => unknown[]

const direct = new WeakMap<Db, RunCompiled>()

/** How queries that are compiled once run on this handle, where its engine knows a shorter way than Kysely's. */
export const runDirectly = (db: Db, run: RunCompiled): void => void direct.set(db, run)

export const directRun = (db: Db): RunCompiled | undefined => direct.get(db)

/** The file is not a whole database: writing to it would make things worse. */
export class DamagedDatabase extends Error {
  override readonly name = 'DamagedDatabase'
}

/** A file of the vault was there when the program started. A new one in its place would hide all that the vault holds. */
export class VaultGone extends Error {
  override readonly name = 'VaultGone'

  constructor(file: string) {
    super(
      `${file} is missing, though it was there when the program started. Bring it back, or mount its disk. For a new vault start the program anew.`,
    )
  }
}

/**
 * Thrown in a `read committed` transaction that finds changed what it relied on before it held a lock. PostgreSQL gives up
 * the locks and the transaction runs again. On SQLite nothing changes during a transaction.
 */
export class RunAgain extends Error {
  override readonly name = 'RunAgain'
}

/** What a transaction has done that must be told when it is committed. */
export type TransactionMark = { tookCredentials: boolean }

const openTransaction = new AsyncLocalStorage<TransactionMark>()

/** A second transaction inside one would wait for itself on SQLite and escape the first on PostgreSQL. */
export function newTransactionMark(): TransactionMark {
  if (openTransaction.getStore())
    throw new Error('A transaction was begun inside a transaction: use inTx(ctx, …)')
  return { tookCredentials: false }
}

export const runMarked = <T>(mark: TransactionMark, fn: () => Promise<T>): Promise<T> =>
  openTransaction.run(mark, fn)

/** For the writing connection, after a statement that may end a credential. */
export function noteTakenCredentials(): void {
  const mark = openTransaction.getStore()
  if (mark) mark.tookCredentials = true
}

/** The root handle inside a transaction would not see the transaction's own writes. */
export function refuseInTransaction(): void {
  if (openTransaction.getStore()) throw new Error('The root handle was used inside a transaction: use ctx.db')
}

/** The same for queries that Kysely builds and runs. */
export const rootHandleGuard: KyselyPlugin = {
  transformQuery({ node }) {
    refuseInTransaction()
    return node
  },
  // Prepared queries come compiled and pass only here.
  async transformResult({ result }) {
    refuseInTransaction()
    return result
  },
}

/** For slow work that does not need the database: on SQLite every other write would wait for it. */
export function refuseWhileWriting(what: string): void {
  if (openTransaction.getStore())
    throw new Error(`${what} inside a transaction keeps every other write waiting`)
}

/** Columns that decide who a credential belongs to and what it may do, by the tables that hold them. */
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
/** Rows, or the table itself, that go whatever columns they have. */
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

/** Whether one of the assigned columns decides; where none can be read, any may. */
function setsDecidingColumn(table: string, columns: string): boolean {
  const [assignments = ''] = columns.split(END_OF_ASSIGNMENTS, 1)
  const names = Array.from(assignments.matchAll(ASSIGNED), (match) => match[1] ?? '')
  const deciding = DECIDING_COLUMNS[table.toLowerCase()]
  return names.length === 0 || names.some((name) => deciding?.has(name.toLowerCase()))
}

/**
 * Whether a statement may end a credential or change what it may do. Noting when one was used does neither. Judged by its text, as the
 * engine gets it: a query that was built, one that was compiled once and raw SQL look the same there. What cannot be told counts
 * as yes, since a look too many costs little.
 */
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
