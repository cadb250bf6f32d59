import type { DatabaseSync, StatementSync } from 'node:sqlite'
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
import { type Db, noteTakenCredentials, refuseInTransaction, rootHandleGuard, runDirectly } from '../../db.ts'
import type { Schema } from '../../schema.ts'
import { boundValues } from './bound-values.ts'

const MAX_CACHED_STATEMENTS = 500

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

export class SqliteConnection implements DatabaseConnection {
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

/** Hands the same connection to everybody: readers share theirs, and writers queue before they come here. */
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
  /**
   * A bare parameter as limit makes SQLite plan for its value, and so compile the statement again at every execution. A
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
      createQueryCompiler: () => new LimitCompiler(),
    },
    plugins,
  })
}

export function readingKysely(db: DatabaseSync): Db {
  const connection = new SqliteConnection(db, false)
  const kysely = kyselyOn(connection, [rootHandleGuard])
  runDirectly(kysely, (sql, parameters) => {
    refuseInTransaction()
    return connection.run(sql, parameters)
  })
  return kysely
}

export function writingKysely(connection: SqliteConnection): Db {
  const kysely = kyselyOn(connection)
  runDirectly(kysely, (sql, parameters) => connection.run(sql, parameters))
  return kysely
}
