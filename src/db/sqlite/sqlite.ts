import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readSync,
  statSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
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
import { LRUCache } from 'lru-cache'
import { makeFolder } from '../../core/disk.ts'
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
  takesCredentials,
  VaultGone,
} from '../db.ts'
import { type OnSlow, tellIfSlow } from '../prepared.ts'
import type { Schema } from '../schema.ts'
import { DatabaseBusy, SqliteWrites } from './group-commit.ts'
import { isBusy, isCorrupt, isUnavailable, isUniqueViolation, isUnwritable } from './result-codes.ts'

/** How long (ms) a key that another process revoked may still work here. */
const LOOK_EVERY_MS = 200

/** Only the writing connection can tell the writes of other processes from our own. */
class SqliteChanges {
  readonly #dataVersion: StatementSync
  #seen: unknown
  #lookedAt: number
  #version = 0

  constructor(writer: DatabaseSync) {
    this.#dataVersion = writer.prepare('pragma data_version')
    this.#seen = this.#look()
    this.#lookedAt = performance.now()
  }

  add(): void {
    this.#version++
  }

  version(): number {
    const now = performance.now()
    if (now - this.#lookedAt >= LOOK_EVERY_MS) {
      this.#lookedAt = now
      const found = this.#look()
      if (found !== this.#seen) this.#version++
      this.#seen = found
    }
    return this.#version
  }

  #look(): unknown {
    return this.#dataVersion.get()?.data_version
  }
}

/** Node 22.18 takes numbered parameters only by name, which is slower. */
function takesByPosition(): boolean {
  const probe = new DatabaseSync(':memory:')
  try {
    probe.prepare('select ?1').get(1)
    return true
  } catch {
    return false
  } finally {
    probe.close()
  }
}

type Bind = (sql: string, values: readonly unknown[]) => SQLInputValue[]

const byPosition: Bind = (_sql, values) => values as SQLInputValue[]

const byName: Bind = (sql, values) =>
  sql.includes('?1')
    ? [Object.fromEntries(values.map((value, at) => [`?${at + 1}`, value])) as never]
    : byPosition(sql, values)

const boundValues: Bind = takesByPosition() ? byPosition : byName

const MAX_CACHED_STATEMENTS = 500

type Prepared = {
  statement: StatementSync
  toRow: ((values: unknown[]) => unknown) | undefined
  writes: boolean
  takesCredentials: boolean
}

function rowMaker(names: readonly string[]): (values: unknown[]) => unknown {
  const fields = names.map((name, i) => `${JSON.stringify(name)}: values[${i}]`)
  return new Function('values', `return {${fields.join()}}`) as (values: unknown[]) => unknown
}

const ONLY_READS = /^\s*(select|pragma)\b/i

class SqliteConnection implements DatabaseConnection {
  readonly #mustTransact: boolean
  readonly #db: DatabaseSync
  readonly #onSlow: OnSlow
  readonly #statements = new LRUCache<string, Prepared>({ max: MAX_CACHED_STATEMENTS })
  writes = 0

  constructor(db: DatabaseSync, mustTransact: boolean, onSlow: OnSlow) {
    this.#db = db
    this.#mustTransact = mustTransact
    this.#onSlow = onSlow
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
    this.#statements.set(sql, prepared)
    return prepared
  }

  #refuseOutside(): void {
    // A full disk ends a transaction; later writes of its code must not run outside a transaction.
    if (this.#mustTransact && !this.#db.isTransaction) throw new Error('The transaction is over')
  }

  run(sql: string, parameters: readonly unknown[]): unknown[] {
    this.#refuseOutside()
    const { statement, toRow, writes, takesCredentials } = this.#prepare(sql)
    if (writes) this.writes++
    if (takesCredentials) noteTakenCredentials()
    const began = performance.now()
    const rows = toRow ? statement.all(...boundValues(sql, parameters)) : []
    if (!toRow) statement.run(...boundValues(sql, parameters))
    tellIfSlow(this.#onSlow, sql, began)
    return toRow ? (rows as unknown as unknown[][]).map(toRow) : rows
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    this.#refuseOutside()
    const { statement, toRow, takesCredentials } = this.#prepare(sql)
    if (toRow) return { rows: this.run(sql, parameters) as R[] }
    this.writes++
    if (takesCredentials) noteTakenCredentials()
    const began = performance.now()
    const { changes, lastInsertRowid } = statement.run(...boundValues(sql, parameters))
    tellIfSlow(this.#onSlow, sql, began)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  async *streamQuery<R>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    // A cached statement may run again while this one is still being read.
    for (const row of this.#db.prepare(sql).iterate(...boundValues(sql, parameters)))
      yield { rows: [row as R] }
  }

  close(): void {
    this.#statements.clear()
    this.#db.close()
  }
}

/** Returns the same connection to every caller: readers share it, and writers queue earlier. */
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

class LimitCompiler extends SqliteQueryCompiler {
  /** Adds a sign before a limit: SQLite would recompile a bare parameter at every execution. */
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
      createQueryCompiler: () => new LimitCompiler(),
    },
    plugins,
  })
}

function readingKysely(connection: SqliteConnection): Db {
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

/** Explains an error about a damaged file with its path and the remedy; returns any other error unchanged. */
export const explainDamage = (file: string, error: unknown): unknown =>
  isCorrupt(error) ? damaged(file, error instanceof Error ? error.message : String(error)) : error

/** Explains a failure without opening the file: closing it would release this process's locks on it. */
export function explainUnreadable(file: string, error: unknown): unknown {
  if (!isUnwritable(error)) return explainDamage(file, error)
  try {
    if (statSync(file).isDirectory())
      return Object.assign(new Error(`${file} is a folder`), { code: 'EISDIR', path: file })
    accessSync(file, constants.R_OK)
    return error
  } catch (reason) {
    return reason
  }
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0

const HEADER_BYTES = 100

/** With a log beside it, a short file may be a crash during a checkpoint, which SQLite repairs. */
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

/** Limit in bytes for the full check at every start; larger files are for `kvault verify`. */
const CHECKED_AT_START_BYTES = 32 * 1024 * 1024

function refuseCorrupt(file: string, db: DatabaseSync): void {
  if (sizeOf(file) > CHECKED_AT_START_BYTES) return
  const found = db.prepare('pragma quick_check(1)').get()
  const verdict = String(Object.values(found ?? {})[0])
  if (verdict !== 'ok') throw damaged(file, verdict.replaceAll(/\s+/g, ' '))
}

/** The database file was replaced: new writes go into a file without a name and are lost at the next start. */
class FileReplaced extends Error {
  override readonly name = 'FileReplaced'

  constructor(file: string) {
    super(`${file} was removed or replaced while the service ran. Bring it back, or stop the service first.`)
  }
}

const fileNumber = (file: string) => statSync(file, { bigint: true, throwIfNoEntry: false })?.ino

function watchFile(file: string): () => boolean {
  const opened = fileNumber(file)
  return () => fileNumber(file) === opened
}

const OWNER_ONLY = 0o600

/** Sets permissions; a mounted folder may refuse. */
function restrict(path: string, mode: number): void {
  try {
    if ((statSync(path).mode & 0o777) !== mode) chmodSync(path, mode)
  } catch (error) {
    const { code } = error as { code?: string }
    if (code !== 'ENOENT' && code !== 'EPERM' && code !== 'EROFS') throw error
  }
}

/** Makes the file private; SQLite copies its permissions to the files beside it. */
function makePrivate(file: string): void {
  const folder = dirname(file)
  makeFolder(folder)
  restrict(folder, statSync(folder).mode & 0o770)
  closeSync(openSync(file, 'a', OWNER_ONLY))
  for (const path of [file, `${file}-wal`, `${file}-shm`]) restrict(path, OWNER_ONLY)
}

/** While the file opens, another process may be repairing it after a crash. */
const OPENING_TIMEOUT_MS = 20
/** A checkpoint after 16 MB of log, so that a page with many changes is copied once. */
const LOG_PAGES = 4000
/** 16 MB per connection; no memory mapping, since a read error there would end the process. */
const CACHE = 'pragma cache_size = -16000; pragma mmap_size = 0'

type SqliteOptions = {
  mustExist?: boolean
  lockPatienceMs?: number
  /** Loads the functions of sqlite-vec for reads, where its binary fits the platform. */
  comparesVectors?: boolean
  onSlow?: OnSlow
}

export function openSqlite(file: string, { mustExist = false, ...options }: SqliteOptions = {}): Database {
  if (mustExist && !existsSync(file)) throw new VaultGone(file)
  makePrivate(file)
  refuseHalfCopied(file)
  try {
    return openWhole(file, options)
  } catch (error) {
    throw explainDamage(file, error)
  }
}

/** Extensions are allowed for the loading alone. Without the binary vectors are compared in the process. */
function loadSqliteVec(db: DatabaseSync): void {
  try {
    const { getLoadablePath } = createRequire(import.meta.url)('sqlite-vec') as {
      getLoadablePath: () => string
    }
    db.loadExtension(getLoadablePath())
  } catch {
    // `select vec_version()` tells whether it is there.
  } finally {
    db.enableLoadExtension(false)
  }
}

const MAX_START_WAIT_MS = 5000

/** Retries, because SQLite does not wait for the lock of another starting process. */
function setWriteAheadLog(db: DatabaseSync): void {
  const until = performance.now() + MAX_START_WAIT_MS
  for (;;)
    try {
      db.exec('pragma journal_mode = wal')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error
    }
}

function openWhole(
  file: string,
  { onSlow = () => {}, comparesVectors = false, ...options }: SqliteOptions,
): Database {
  const isInUse = watchFile(file)
  const writer = new DatabaseSync(file, { timeout: OPENING_TIMEOUT_MS, enableForeignKeyConstraints: true })
  setWriteAheadLog(writer)
  writer.exec(
    `pragma synchronous = full; pragma busy_timeout = ${OPENING_TIMEOUT_MS};
    pragma wal_autocheckpoint = ${LOG_PAGES}; ${CACHE}`,
  )
  refuseCorrupt(file, writer)
  // From here on the event loop waits for locks: SQLite's own wait would block this process.
  writer.exec('pragma busy_timeout = 0')
  const reader = new DatabaseSync(file, { timeout: 5000, allowExtension: comparesVectors })
  if (comparesVectors) loadSqliteVec(reader)
  reader.exec(`pragma query_only = 1; ${CACHE}`)

  const read = readingKysely(new SqliteConnection(reader, false, onSlow))
  const connection = new SqliteConnection(writer, true, onSlow)
  const write = writingKysely(connection)
  const writes = new SqliteWrites(writer, {
    ...options,
    isBusy,
    written: () => connection.writes,
    requireFile: () => {
      if (!isInUse()) throw new FileReplaced(file)
    },
  })
  const changes = new SqliteChanges(writer)
  return {
    engine: 'sqlite',
    isDistributed: false,
    read,
    readFor: () => read,
    wrote: async () => {},
    waitMs: (work) => (work === 'write' ? writes.waitMs() : 0),
    serve: (_since, request) => request(),
    transaction: async (fn, { mayTakeLong } = {}) => {
      const mark = newTransactionMark()
      const result = await writes.transaction(() => runMarked(mark, () => fn(write)), mayTakeLong)
      if (mark.tookCredentials) changes.add()
      return result
    },
    credentialsVersion: () => changes.version(),
    takesWrites: async () => isInUse(),
    isUniqueViolation,
    isUnavailable: (error) =>
      error instanceof FileReplaced || error instanceof DatabaseBusy || isUnavailable(error),
    close: async () => {
      await writes.idle()
      await read.destroy()
      await write.destroy()
    },
  }
}
