import type { Compilable, CompiledQuery, Expression, Insertable, RawBuilder } from 'kysely'
import { CompiledQuery as Compiled, sql } from 'kysely'
import { type Db, directRun, isSqlite } from './db.ts'
import type { Schema } from './schema.ts'

class Parameter {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

export type Named<P> = <K extends keyof P & string>(name: K) => Expression<P[K]>

type Build<P, R> = (db: Db, parameter: Named<P>) => Compilable<R> | RawBuilder<R>

type Ready<R> = { query: CompiledQuery<R>; names: readonly (string | undefined)[] }

function literal(value: unknown): string | undefined {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  return Number.isSafeInteger(value) ? String(value) : undefined
}

/** Binds each repeated value once, because in SQLite binding costs as much as a look-up. */
function bindLess<R>(query: CompiledQuery<R>): CompiledQuery<R> {
  const parameters: unknown[] = []
  const positions = new Map<unknown, number>()
  let seen = 0
  const text = query.sql.replaceAll('?', () => {
    const value = query.parameters[seen++]
    const constant = value instanceof Parameter ? undefined : literal(value)
    if (constant !== undefined) return constant
    const key = value instanceof Parameter ? value.name : parameters
    let position = positions.get(key)
    if (position === undefined) {
      position = parameters.push(value)
      if (value instanceof Parameter) positions.set(key, position)
    }
    return `?${position}`
  })
  return seen === query.parameters.length ? { ...query, sql: text, parameters } : query
}

const names = new Map<string, string>()
const plans = new Map<string, string>()

const MAX_SHOWN = 200

/** From this time in ms on a statement is told. */
const SLOW_MS = 1000

type SlowStatement = { statement: string; ms: number }
export type OnSlow = (slow: SlowStatement) => void

/** Tells a statement that was slow by its name, or by the beginning of its text, which has no values. */
export function tellIfSlow(onSlow: OnSlow, text: string, began: number): void {
  const ms = performance.now() - began
  if (ms < SLOW_MS) return
  onSlow({ statement: names.get(text) ?? text.slice(0, MAX_SHOWN), ms: Math.round(ms) })
}

/**
 * Only look-ups by key: a plan made while a table was small stays. A query with `*` would fail after a column
 * is added.
 */
export const keptPlans: ReadonlyMap<string, string> = plans

type Options = { keepsPlan?: boolean }

/** Compiles a query. PostgreSQL gets its name as a comment, for its log and its views of running statements. */
function makeReady<P, R>(name: string, build: Build<P, R>, db: Db, { keepsPlan }: Options): Ready<R> {
  const built = build(db, (name) => sql.val(new Parameter(name)) as never)
  const compiled = 'isRawBuilder' in built ? built.compile(db) : built.compile()
  const query = isSqlite(db) ? bindLess(compiled) : { ...compiled, sql: `/* ${name} */ ${compiled.sql}` }
  names.set(query.sql, name)
  if (keepsPlan && !isSqlite(db) && !plans.has(query.sql)) plans.set(query.sql, `${name}_${plans.size}`)
  const parameters = query.parameters.map((value) => (value instanceof Parameter ? value.name : undefined))
  return { query, names: parameters }
}

/**
 * Builds and compiles a query once per engine, for hot paths: building costs several times the indexed
 * look-up. Logs and PostgreSQL show the name.
 */
export function prepared<P extends Record<string, unknown>, R>(
  name: string,
  build: Build<P, R>,
  options: Options = {},
) {
  const ready = new Map<unknown, Ready<R>>()
  return async (db: Db, values: P): Promise<R[]> => {
    const run = directRun(db)
    const engine = run ? 'direct' : db.getExecutor().adapter.constructor
    let known = ready.get(engine)
    if (!known) {
      known = makeReady(name, build, db, options)
      ready.set(engine, known)
    }
    const { query, names } = known
    const parameters = names.map((name, i) => (name === undefined ? query.parameters[i] : values[name]))
    if (run) return run(query.sql, parameters) as R[]
    const { rows } = await db.executeQuery<R>({ ...query, parameters })
    return rows
  }
}

type Insert = (db: Db, values: Record<string, unknown>) => Promise<unknown[]>
type KnownInsert = { columns: readonly string[]; returned: readonly string[] | undefined; insert: Insert }

const inserts = new Map<string, KnownInsert[]>()

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((name, i) => name === b[i])

function insertFor(
  table: keyof Schema & string,
  columns: readonly string[],
  returned?: readonly string[],
): Insert {
  const known = inserts.get(table) ?? []
  const found = known.find(
    (candidate) => candidate.returned === returned && isSame(candidate.columns, columns),
  )
  if (found) return found.insert
  const insert = prepared(`insert_${table}`, (db: Db, parameter: Named<Record<string, unknown>>) => {
    const values = Object.fromEntries(columns.map((name) => [name, parameter(name)]))
    const query = db.insertInto(table).values(values as never)
    return returned ? query.returning(returned as never) : query
  })
  inserts.set(table, [...known, { columns, returned, insert }])
  return insert
}

export async function insertRow<T extends keyof Schema & string>(
  db: Db,
  table: T,
  row: Insertable<Schema[T]>,
): Promise<void> {
  await insertFor(table, Object.keys(row))(db, row as Record<string, unknown>)
}

/**
 * `returned` must be the same array at each call. Reading the new row by an index would conflict with other
 * serialisable inserts.
 */
export async function insertAndReturn<T extends keyof Schema & string, R>(
  db: Db,
  table: T,
  row: Insertable<Schema[T]>,
  returned: readonly string[],
): Promise<R> {
  const [stored] = await insertFor(table, Object.keys(row), returned)(db, row as Record<string, unknown>)
  return stored as R
}

/** Chunk sizes: few different statements for any number of rows. */
const CHUNKS = [256, 32, 4, 1]

const manyRowsText = (onSqlite: boolean, start: string, columns: number, rows: number, end: string) => {
  const placeholder = (i: number) => (onSqlite ? '?' : `$${i + 1}`)
  const tuple = (row: number) =>
    `(${Array.from({ length: columns }, (_, i) => placeholder(row * columns + i)).join()})`
  return `${start} ${Array.from({ length: rows }, (_, row) => tuple(row)).join()} ${end}`
}

const texts = new Map<string, string>()

function manyRows(db: Db, start: string, columns: number, rows: number, end: string): string {
  const onSqlite = isSqlite(db)
  const key = `${onSqlite} ${rows} ${start} ${end}`
  const known = texts.get(key)
  if (known) return known
  const text = manyRowsText(onSqlite, start, columns, rows, end)
  texts.set(key, text)
  return text
}

/** Inserts many rows in chunks. `end` may add a conflict clause and a returning clause. */
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
    const values = rows.slice(from, from + count).flat()
    const run = directRun(db)
    if (run) returned.push(...(run(statement, values) as R[]))
    else
      returned.push(...(await db.executeQuery<R>(Compiled.raw(statement, values) as CompiledQuery<R>)).rows)
    from += count
  }
  return returned
}
