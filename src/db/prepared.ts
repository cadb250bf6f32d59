import type { Compilable, CompiledQuery, Expression, Insertable } from 'kysely'
import { CompiledQuery as Compiled, SqliteAdapter, sql } from 'kysely'
import type { Db } from './db.ts'
import type { Schema } from './schema.ts'

class Parameter {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** Stands in a query for a value that comes with each run. */
export type Named<P> = <K extends keyof P & string>(name: K) => Expression<P[K]>

type Build<P, R> = (db: Db, parameter: Named<P>) => Compilable<R>

/**
 * A query for a hot path: built and compiled once per engine, then run with new values. Building and compiling
 * costs several times what the indexed look-up itself costs.
 */
export function prepared<P extends Record<string, unknown>, R>(build: Build<P, R>) {
  const compiled = new Map<unknown, CompiledQuery<R>>()
  return async (db: Db, values: P): Promise<R[]> => {
    const engine = db.getExecutor().adapter.constructor
    let query = compiled.get(engine)
    if (!query) {
      query = build(db, (name) => sql.val(new Parameter(name)) as never).compile()
      compiled.set(engine, query)
    }
    const parameters = query.parameters.map((value) =>
      value instanceof Parameter ? values[value.name] : value,
    )
    const { rows } = await db.executeQuery<R>({ ...query, parameters })
    return rows
  }
}

const inserts = new Map<string, (db: Db, values: Record<string, unknown>) => Promise<unknown>>()

/** An insert of one row, compiled once per table and set of columns. */
export async function insertRow<T extends keyof Schema & string>(
  db: Db,
  table: T,
  row: Insertable<Schema[T]>,
): Promise<void> {
  const columns = Object.keys(row)
  const key = `${table} ${columns.join()}`
  let insert = inserts.get(key)
  if (!insert) {
    insert = prepared((db: Db, parameter: Named<Record<string, unknown>>) =>
      db
        .insertInto(table)
        .values(Object.fromEntries(columns.map((name) => [name, parameter(name)])) as never),
    )
    inserts.set(key, insert)
  }
  await insert(db, row as Record<string, unknown>)
}

/** So that few different statements are compiled, whatever the number of rows. */
const CHUNKS = [256, 32, 4, 1]

const manyRowsText = (isSqlite: boolean, start: string, columns: number, rows: number, end: string) => {
  const place = (i: number) => (isSqlite ? '?' : `$${i + 1}`)
  const tuple = (row: number) =>
    `(${Array.from({ length: columns }, (_, i) => place(row * columns + i)).join()})`
  return `${start} ${Array.from({ length: rows }, (_, row) => tuple(row)).join()} ${end}`
}

const texts = new Map<string, string>()

function manyRows(db: Db, start: string, columns: number, rows: number, end: string): string {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter
  const key = `${isSqlite} ${rows} ${start} ${end}`
  const known = texts.get(key)
  if (known) return known
  const text = manyRowsText(isSqlite, start, columns, rows, end)
  texts.set(key, text)
  return text
}

/** Inserts many rows without building a query for each. `end` may say what happens on a conflict, and what comes back. */
export async function insertRows<T extends keyof Schema & string, R = unknown>(
  db: Db,
  table: T,
  columns: readonly (keyof Schema[T] & string)[],
  rows: readonly (readonly unknown[])[],
  end = '',
): Promise<R[]> {
  const start = `insert into ${table} (${columns.join()}) values`
  const returned: R[] = []
  for (let from = 0; from < rows.length; ) {
    const count = CHUNKS.find((chunk) => chunk <= rows.length - from) ?? 1
    const statement = manyRows(db, start, columns.length, count, end)
    const { rows: back } = await db.executeQuery<R>(
      Compiled.raw(statement, rows.slice(from, from + count).flat()) as CompiledQuery<R>,
    )
    returned.push(...back)
    from += count
  }
  return returned
}
