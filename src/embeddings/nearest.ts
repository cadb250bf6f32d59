import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../core/context.ts'
import type { Database } from '../db/db.ts'
import { asPgvector, forgetPgvector, hasPgvector } from './pgvector.ts'
import { readState } from './state.ts'
import { VECTOR_TABLES, type VectorTable } from './tables.ts'
import { bytesOf, KeptVectors, type Vector, vectorOf } from './vectors.ts'

/** A larger scope is searched by words alone. */
export const MAX_IN_SCOPE = 100_000
const READ_AT_ONCE = 500
/** What one process keeps of vectors: 64 MB. */
const MAX_BYTES: Readonly<Record<VectorTable, number>> = {
  search_vectors: 48 * 2 ** 20,
  context_event_vectors: 16 * 2 ** 20,
}

/** Rows with a vector among which the nearest are looked for, with the permission in `from`. */
export type VectorScope = {
  table: VectorTable
  /** What is returned of a row. */
  number: RawBuilder<number>
  /** Tables with that table, joins and conditions. */
  from: RawBuilder<unknown>
}

export type Nearest = { number: number; similarity: number }

/** Returns the rows nearest to `question`, best first; undefined if vectors cannot be compared there. */
export async function nearestTo(
  ctx: Ctx,
  scope: VectorScope,
  question: Vector,
  limit: number,
): Promise<Nearest[] | undefined> {
  const { model, dimensions } = await readState(ctx)
  if (model !== ctx.config.embeddings?.model || dimensions !== question.length) return undefined
  const comparable: VectorScope = {
    ...scope,
    from: sql`${scope.from} and ${columnOf(scope, 'model')} = ${model} and ${columnOf(scope, 'dimensions')} = ${dimensions}`,
  }
  const distance = await distanceInSql(ctx, scope, question)
  if (!distance) return nearestInProcess(ctx, comparable, question, limit)
  try {
    return await nearestBySql(ctx, comparable, distance, limit)
  } catch (error) {
    if (ctx.database.isUnavailable(error)) throw error
    // An operator may take the extension away while the program runs.
    ctx.log.warn({ err: error }, 'vectors are compared in the process')
    forgetPgvector(ctx.database)
    return nearestInProcess(ctx, comparable, question, limit)
  }
}

/** Returns the distance as the database computes it; undefined without an extension, and in a transaction. */
async function distanceInSql(
  ctx: Ctx,
  scope: VectorScope,
  question: Vector,
): Promise<RawBuilder<number> | undefined> {
  if (ctx.transacting) return undefined
  if (ctx.database.engine === 'sqlite')
    return (await hasSqliteVec(ctx.database)) ? bySqliteVec(scope, question) : undefined
  return (await hasPgvector(ctx)) ? byPgvector(scope, question) : undefined
}

const columnOf = ({ table }: VectorScope, name: string) => sql.ref(`${table}.${name}`)

const versionOf = (scope: VectorScope) => sql<number>`${columnOf(scope, VECTOR_TABLES[scope.table])}`

const bySqliteVec = (scope: VectorScope, question: Vector) =>
  sql<number>`vec_distance_cosine(vec_int8(${columnOf(scope, 'vector')}), vec_int8(${bytesOf(question)}))`

const byPgvector = (scope: VectorScope, question: Vector) =>
  sql<number>`${columnOf(scope, 'embedding')} <=> ${asPgvector(question)}`

async function nearestBySql(
  ctx: Ctx,
  { number, from }: VectorScope,
  distance: RawBuilder<number>,
  limit: number,
): Promise<Nearest[] | undefined> {
  const { rows } = await sql<{ number: number; distance: number; vectors: number }>`
    select number, distance, count(*) over () as vectors
    from (select ${number} as number, ${distance} as distance from ${from} limit ${sql.lit(MAX_IN_SCOPE + 1)}) as compared
    where distance is not null
    order by distance, number desc limit ${sql.lit(limit)}`.execute(ctx.db)
  if (Number(rows[0]?.vectors ?? 0) > MAX_IN_SCOPE) return undefined
  return rows.map(({ number, distance }) => ({ number, similarity: 1 - distance }))
}

const vec = new WeakMap<Database, Promise<boolean>>()

/** Whether the connection for reads has the functions of sqlite-vec. */
function hasSqliteVec(database: Database): Promise<boolean> {
  const known =
    vec.get(database) ??
    sql`select vec_version()`.execute(database.read).then(
      () => true,
      () => false,
    )
  vec.set(database, known)
  return known
}

const kept = new WeakMap<Database, Map<VectorTable, KeptVectors>>()

function keptVectors(database: Database, table: VectorTable, model: string, dimensions: number): KeptVectors {
  const tables = kept.get(database) ?? new Map<VectorTable, KeptVectors>()
  kept.set(database, tables)
  const known = tables.get(table)
  if (known?.model === model && known.dimensions === dimensions) return known
  const made = new KeptVectors(model, dimensions, MAX_BYTES[table])
  tables.set(table, made)
  return made
}

async function nearestInProcess(
  ctx: Ctx,
  scope: VectorScope,
  question: Vector,
  limit: number,
): Promise<Nearest[] | undefined> {
  const rows = await sql<{ number: number; made_for: number }>`
    select ${scope.number} as number, ${versionOf(scope)} as made_for
    from ${scope.from} limit ${sql.lit(MAX_IN_SCOPE + 1)}`.execute(ctx.db)
  if (rows.rows.length > MAX_IN_SCOPE) return undefined
  const model = ctx.config.embeddings?.model ?? ''
  const vectors = keptVectors(ctx.database, scope.table, model, question.length)
  const similarityOf = vectors.similarityTo(question)
  const found: Nearest[] = []
  const unknown: typeof rows.rows = []
  const compare = (row: (typeof rows.rows)[number]) => {
    const similarity = similarityOf(row.made_for)
    if (similarity === undefined) return false
    found.push({ number: row.number, similarity })
    return true
  }
  for (const row of rows.rows) if (!compare(row)) unknown.push(row)
  for (let at = 0; at < unknown.length; at += READ_AT_ONCE) {
    const some = unknown.slice(at, at + READ_AT_ONCE)
    await readInto(
      ctx,
      scope,
      vectors,
      some.map(({ made_for }) => made_for),
    )
    some.forEach(compare)
  }
  return found.sort((a, b) => b.similarity - a.similarity || b.number - a.number).slice(0, limit)
}

async function readInto(
  ctx: Ctx,
  scope: VectorScope,
  vectors: KeptVectors,
  versions: readonly number[],
): Promise<void> {
  const { rows } = await sql<{ version: number; vector: Uint8Array }>`
    select ${versionOf(scope)} as version, ${columnOf(scope, 'vector')} as vector
    from ${scope.from} and ${versionOf(scope)} in (${sql.join(versions)})`.execute(ctx.db)
  for (const { version, vector } of rows) vectors.set(version, vectorOf(vector))
}
