import { sql } from 'kysely'
import { type Ctx, inTx, SELF_GUARDED } from '../core/context.ts'
import type { Database } from '../db/db.ts'
import { VECTOR_TABLES, type VectorTable } from './tables.ts'
import { type Vector, vectorOf } from './vectors.ts'

/** The extension pgvector: a column of its own type beside the stored vector, made when the extension is there. */

const TABLES = Object.keys(VECTOR_TABLES) as VectorTable[]

const LOOK_EVERY_MS = 10_000
const FILLED_AT_ONCE = 500

type Known = { at: number; isReady: boolean }

const known = new WeakMap<Database, Known>()

/** Whether all vectors can be compared by pgvector. */
export async function hasPgvector(ctx: Ctx): Promise<boolean> {
  if (ctx.database.engine !== 'postgres' || ctx.database.isDistributed) return false
  const last = known.get(ctx.database)
  if (last && performance.now() - last.at < LOOK_EVERY_MS) return last.isReady
  const isReady = (await hasColumn(ctx)) && !(await isPartial(ctx))
  known.set(ctx.database, { at: performance.now(), isReady })
  return isReady
}

/** Looks again at the next question. */
export const forgetPgvector = (database: Database): boolean => known.delete(database)

async function hasColumn(ctx: Ctx): Promise<boolean> {
  const { rows } = await sql`select 1 from information_schema.columns
    where table_schema = current_schema() and column_name = 'embedding' and table_name in (${sql.join(TABLES)})`.execute(
    ctx.db,
  )
  return rows.length === TABLES.length
}

async function isPartial(ctx: Ctx): Promise<boolean> {
  for (const table of TABLES) if ((await unfilled(ctx, table, 1)).length > 0) return true
  return false
}

async function unfilled(ctx: Ctx, table: VectorTable, limit: number) {
  const { rows } = await sql<{ version: number; vector: Uint8Array }>`
    select ${sql.ref(VECTOR_TABLES[table])} as version, vector from ${sql.table(table)}
    where embedding is null and vector is not null limit ${sql.lit(limit)}`.execute(ctx.db)
  return rows
}

/** Makes and fills the column where the server offers the extension. Returns whether vectors have it. */
export async function preparePgvector(ctx: Ctx, stopping: AbortSignal): Promise<boolean> {
  if (ctx.database.engine !== 'postgres' || ctx.database.isDistributed) return false
  if (!(await hasColumn(ctx))) {
    const offered = await sql<{ installed: string | null }>`select installed_version as installed
      from pg_available_extensions where name = 'vector'`.execute(ctx.db)
    if (offered.rows.length === 0 || !(await makeColumn(ctx))) return false
  }
  for (const table of TABLES) while (!stopping.aborted && (await fillSome(ctx, table)) === FILLED_AT_ONCE);
  return true
}

async function makeColumn(ctx: Ctx): Promise<boolean> {
  try {
    await inTx(
      ctx,
      async ({ db }) => {
        await sql`create extension if not exists vector`.execute(db)
        for (const table of TABLES)
          await sql`alter table ${sql.table(table)} add column if not exists embedding vector`.execute(db)
      },
      SELF_GUARDED,
    )
    ctx.log.info('vectors are compared by pgvector')
    return true
  } catch (error) {
    if (ctx.database.isUnavailable(error)) throw error
    // The role may not make extensions: the operator can, and the process compares meanwhile.
    ctx.log.debug({ err: error }, 'pgvector is offered but cannot be used')
    return false
  }
}

async function fillSome(ctx: Ctx, table: VectorTable): Promise<number> {
  const rows = await unfilled(ctx, table, FILLED_AT_ONCE)
  const fill = async ({ db }: Ctx) => {
    for (const { version, vector } of rows)
      await sql`update ${sql.table(table)} set embedding = ${asPgvector(vectorOf(vector))}
        where ${sql.ref(VECTOR_TABLES[table])} = ${version}`.execute(db)
  }
  if (rows.length > 0) await inTx(ctx, fill, SELF_GUARDED)
  return rows.length
}

export const asPgvector = (vector: Vector) => sql`${`[${vector.join()}]`}::vector`

export const pgvectorOrNull = (vector: Vector | null) => (vector ? asPgvector(vector) : sql`null`)
