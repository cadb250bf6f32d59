import { chmodSync, closeSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type KyselyPlugin,
  type LimitNode,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { takesCredentials } from '../../credential-statements.ts'
import {
  DamagedDatabase,
  type Database,
  type Db,
  newTransactionMark,
  noteTakenCredentials,
  refuseInTransaction,
  rootHandleGuard,
  runDirectly,
  runMarked,
} from '../../db.ts'
import type { Schema } from '../../schema.ts'
import { boundValues } from './bound-values.ts'
import { SqliteChanges } from './changes.ts'
import { SqliteWrites } from './shared-commits.ts'

/** Waiting inside SQLite blocks this process, so it waits briefly there and longer in the event loop. */
const BUSY_TIMEOUT_MS = 20
const MAX_CACHED_STATEMENTS = 500
/** 16 MB of log before it is taken over into the file: a page that many commits change is then copied once. */
const LOG_PAGES = 4000
/**
 * Each connection's own, 16 MB; the rest is the system's cache. The file is not mapped: that is no faster here, counts as
 * the process's memory, and ends the process where a read error would end one request.
 */
const CACHE = 'pragma cache_size = -16000; pragma mmap_size = 0'

const SQLITE_BUSY = 5
const SQLITE_LOCKED = 6
const SQLITE_READONLY = 8
const SQLITE_IOERR = 10
const SQLITE_CORRUPT = 11
const SQLITE_FULL = 13
const SQLITE_CANTOPEN = 14
const SQLITE_NOTADB = 26
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555
const SQLITE_CONSTRAINT_UNIQUE = 2067

function resultCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : undefined
}

const primaryCode = (error: unknown) => {
  const code = resultCode(error)
  return code === undefined ? undefined : code & 0xff
}

type Prepared = {
  statement: StatementSync
  toRow: ((values: unknown[]) => unknown) | undefined
  writes: boolean
  takesCredentials: boolean
}

/**
 * Rows come as arrays and are named here: node:sqlite itself makes objects of the slow kind, at twice the price. A
 * function made for the columns gives all rows of a statement one shape.
 */
function rowMaker(names: readonly string[]): (values: unknown[]) => unknown {
  const fields = names.map((name, i) => `${JSON.stringify(name)}: values[${i}]`)
  return new Function('values', `return {${fields.join()}}`) as (values: unknown[]) => unknown
}

const ONLY_READS = /^\s*(select|pragma)\b/i

class SqliteConnection implements DatabaseConnection {
  readonly #mustTransact: boolean
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, Prepared>()
  /** How many statements that may write were run. */
  writes = 0

  constructor(db: DatabaseSync, mustTransact: boolean) {
    this.#db = db
    this.#mustTransact = mustTransact
  }

  #prepare(sql: string): Prepared {
    const cached = this.#statements.get(sql)
    if (cached) return cached
    const statement = this.#db.prepare(sql)
    const names = statement.columns().map((column) => column.name)
    if (names.length > 0) statement.setReturnArrays(true)
    const toRow = names.length > 0 ? rowMaker(names) : undefined
    const writes = !toRow || !ONLY_READS.test(sql)
    const prepared = { statement, toRow, writes, takesCredentials: writes && takesCredentials(sql) }
    if (this.#statements.size >= MAX_CACHED_STATEMENTS) {
      const oldest = this.#statements.keys().next().value
      if (oldest !== undefined) this.#statements.delete(oldest)
    }
    this.#statements.set(sql, prepared)
    return prepared
  }

  #refuseOutside(): void {
    // A full disk ends a transaction by itself; what its code still writes must not pass as a write of its own.
    if (this.#mustTransact && !this.#db.isTransaction) throw new Error('The transaction is over')
  }

  run(sql: string, parameters: readonly unknown[]): unknown[] {
    this.#refuseOutside()
    const { statement, toRow, writes, takesCredentials } = this.#prepare(sql)
    if (writes) this.writes++
    if (takesCredentials) noteTakenCredentials()
    if (toRow) return (statement.all(...boundValues(sql, parameters)) as unknown as unknown[][]).map(toRow)
    statement.run(...boundValues(sql, parameters))
    return []
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    this.#refuseOutside()
    const { statement, toRow, takesCredentials } = this.#prepare(sql)
    if (toRow) return { rows: this.run(sql, parameters) as R[] }
    this.writes++
    if (takesCredentials) noteTakenCredentials()
    const { changes, lastInsertRowid } = statement.run(...boundValues(sql, parameters))
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  async *streamQuery<R>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    // Not from the cache: a cached statement may be run again while this one is still being read.
    for (const row of this.#db.prepare(sql).iterate(...boundValues(sql, parameters)))
      yield { rows: [row as R] }
  }

  close(): void {
    this.#statements.clear()
    this.#db.close()
  }
}

/** Hands the same connection to everybody: readers share theirs, and writers take turns before they come here. */
class SqliteDriver implements Driver {
  readonly #connection: SqliteConnection

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(): Promise<void> {
    throw new Error('Transactions on SQLite go through SqliteWrites')
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#connection.close()
  }
}

class NumberingCompiler extends SqliteQueryCompiler {
  /** Numbered, so that a query that is compiled once can name a parameter twice. */
  protected override getCurrentParameterPlaceholder(): string {
    return `?${this.numParameters}`
  }

  /**
   * A bare parameter as limit tempts SQLite to plan for its value, and so to compile the statement anew at every run. A
   * sign before it hides the value from the planner.
   */
  protected override visitLimit(node: LimitNode): void {
    this.append('limit +')
    this.visitNode(node.limit)
  }
}

function kyselyOn(connection: SqliteConnection, plugins: KyselyPlugin[] = []): Db {
  return new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new SqliteDriver(connection),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createQueryCompiler: () => new NumberingCompiler(),
    },
    plugins,
  })
}

function readingKysely(db: DatabaseSync): Db {
  const connection = new SqliteConnection(db, false)
  const kysely = kyselyOn(connection, [rootHandleGuard])
  runDirectly(kysely, (sql, parameters) => {
    refuseInTransaction()
    return connection.run(sql, parameters)
  })
  return kysely
}

function writingKysely(connection: SqliteConnection): Db {
  const kysely = kyselyOn(connection)
  runDirectly(kysely, (sql, parameters) => connection.run(sql, parameters))
  return kysely
}

const damaged = (file: string, how: string) =>
  new DamagedDatabase(
    `The database ${file} is damaged (${how}). Keep the file, set DATA_DIR to a new folder and restore the last backup there: kvault restore <file>.`,
  )

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0

const HEADER_BYTES = 100

/**
 * A copy that was cut off is shorter than its own header says. While there is a log beside it, a short file may
 * also be a crash in the middle of taking the log over, which SQLite mends by itself.
 */
function refuseHalfCopied(file: string): void {
  const size = sizeOf(file)
  if (size === 0 || sizeOf(`${file}-wal`) > 0) return
  const header = Buffer.alloc(HEADER_BYTES)
  const handle = openSync(file, 'r')
  readSync(handle, header, 0, HEADER_BYTES, 0)
  closeSync(handle)
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  const pages = header.readUInt32BE(28)
  if (header.subarray(0, 15).toString() === 'SQLite format 3' && size < pages * pageSize)
    throw damaged(file, `${size} bytes of ${pages * pageSize}`)
}

/** Up to here the whole file is read at every start; larger ones are for `kvault verify`. */
const CHECKED_AT_START_BYTES = 32 * 1024 * 1024

function refuseCorrupt(file: string, db: DatabaseSync): void {
  if (sizeOf(file) > CHECKED_AT_START_BYTES) return
  const found = db.prepare('pragma quick_check(1)').get()
  const verdict = String(Object.values(found ?? {})[0])
  if (verdict !== 'ok') throw damaged(file, verdict.replaceAll(/\s+/g, ' '))
}

const OWNER_ONLY = 0o600

/** Not every system lets us: a mounted folder may have rights of its own. */
function restrict(path: string, mode: number): void {
  try {
    if ((statSync(path).mode & 0o777) !== mode) chmodSync(path, mode)
  } catch (error) {
    const { code } = error as { code?: string }
    if (code !== 'ENOENT' && code !== 'EPERM' && code !== 'EROFS') throw error
  }
}

/**
 * Everything that everybody wrote is in this file: nobody else on the machine reads it. SQLite gives the files beside it the same
 * rights. A folder that is there already may be somebody's choice; only strangers are shut out of it.
 */
function makePrivate(file: string): void {
  const folder = dirname(file)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  restrict(folder, statSync(folder).mode & 0o770)
  closeSync(openSync(file, 'a', OWNER_ONLY))
  for (const path of [file, `${file}-wal`, `${file}-shm`]) restrict(path, OWNER_ONLY)
}

export function openSqlite(file: string): Database {
  makePrivate(file)
  refuseHalfCopied(file)
  try {
    return openWhole(file)
  } catch (error) {
    const code = primaryCode(error)
    if (code !== SQLITE_CORRUPT && code !== SQLITE_NOTADB) throw error
    throw damaged(file, error instanceof Error ? error.message : String(error))
  }
}

const LONGEST_START_WAIT_MS = 5000

/**
 * Setting it the first time needs a lock that another starting process may hold just then. SQLite does not wait for that
 * one, as two that wait for each other would do so for ever; so we try again.
 */
function setWriteAheadLog(db: DatabaseSync): void {
  const until = performance.now() + LONGEST_START_WAIT_MS
  for (;;)
    try {
      db.exec('pragma journal_mode = wal')
      return
    } catch (error) {
      if (primaryCode(error) !== SQLITE_BUSY || performance.now() > until) throw error
    }
}

function openWhole(file: string): Database {
  const writer = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
  setWriteAheadLog(writer)
  writer.exec(
    `pragma synchronous = full; pragma busy_timeout = ${BUSY_TIMEOUT_MS};
    pragma wal_autocheckpoint = ${LOG_PAGES}; ${CACHE}`,
  )
  refuseCorrupt(file, writer)
  const reader = new DatabaseSync(file, { timeout: 5000 })
  reader.exec(`pragma query_only = 1; ${CACHE}`)

  const read = readingKysely(reader)
  const connection = new SqliteConnection(writer, true)
  const write = writingKysely(connection)
  const writes = new SqliteWrites(writer, {
    isBusy: (error) => primaryCode(error) === SQLITE_BUSY,
    written: () => connection.writes,
  })
  const changes = new SqliteChanges(reader)
  return {
    engine: 'sqlite',
    read,
    readFor: () => read,
    wrote: async () => {},
    waitMs: (work) => (work === 'write' ? writes.waitMs() : 0),
    serve: (_since, request) => request(),
    transaction: async (fn) => {
      const mark = newTransactionMark()
      const result = await writes.transaction(() => runMarked(mark, () => fn(write)))
      if (mark.tookCredentials) changes.add()
      return result
    },
    credentialsVersion: () => changes.version(),
    isUniqueViolation: (error) => {
      const code = resultCode(error)
      return code === SQLITE_CONSTRAINT_UNIQUE || code === SQLITE_CONSTRAINT_PRIMARYKEY
    },
    isUnavailable: (error) => {
      const code = primaryCode(error)
      return (
        code !== undefined &&
        [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN].includes(
          code,
        )
      )
    },
    close: async () => {
      await writes.idle()
      await read.destroy()
      await write.destroy()
    },
  }
}
