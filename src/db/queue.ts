import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import { type Ctx, inTx, SELF_GUARDED } from '../core/context.ts'
import { type Db, type UntilAvailable, untilAvailable } from './db.ts'
import type { Schema } from './schema.ts'

type Table = keyof Schema
type Row<T extends Table> = Selectable<Schema[T]>
type Column<T extends Table> = keyof Row<T> & string

/** A table whose rows are work. Deleting a row takes it, so its work is done at most once. */
export type Queue<T extends Table> = { table: T; order: Column<T> }

const equations = (values: object) =>
  Object.entries(values).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)

/** Reads the first rows and claims nothing. */
export async function waiting<T extends Table>(db: Db, queue: Queue<T>, limit: number): Promise<Row<T>[]> {
  const { table, order } = queue
  const rows = sql<Row<T>>`select * from ${sql.table(table)} order by ${sql.ref(order)} limit ${limit}`
  return (await rows.execute(db)).rows
}

/** Takes a row; returns false if it is gone or has changed since it was read. */
export async function take<T extends Table>(db: Db, { table }: Queue<T>, row: Row<T>): Promise<boolean> {
  const isUnchanged = sql.join(equations(row), sql` and `)
  const taken = await sql`delete from ${sql.table(table)} where ${isUnchanged}`.execute(db)
  return taken.numAffectedRows !== 0n
}

/** Puts back a taken row. A newer row with its key stays. */
export async function putBack<T extends Table>(db: Db, { table }: Queue<T>, row: Row<T>): Promise<void> {
  const add = db.insertInto(table as Table).values(row as never)
  await add.onConflict((conflict) => conflict.doNothing()).execute()
}

/** Works through batches until one is not full, the process stops or `work` returns false. */
export async function inBatches<R>(
  { size, stopping }: { size: number; stopping: AbortSignal },
  next: (limit: number) => Promise<readonly R[]>,
  work: (batch: readonly R[]) => Promise<unknown>,
): Promise<void> {
  for (let goesOn = true; goesOn && !stopping.aborted; ) {
    const batch = await next(size)
    goesOn = batch.length > 0 && (await work(batch)) !== false && batch.length === size
  }
}

/** A table whose rows are work outside the database: a row is leased, tried again after a failure, and kept. */
export type LeasedQueue<T extends Table> = {
  table: T
  key: Column<T>
  /** When the next attempt is due, and until when a process has the row. */
  due: Column<T>
  lease: Column<T>
  attempts: Column<T>
  isOpen: RawBuilder<SqlBool>
  size: number
  /** Longer than the work takes, so that a lease ends only if its process died. */
  leaseMs: number
  /** The wait after so many attempts. */
  waitMs: (attempts: number) => number
}

export const inMs = (ctx: Ctx, ms: number): string => new Date(ctx.now().getTime() + ms).toISOString()

/** Matches open rows that no process has. */
export const isFree = <T extends Table>(ctx: Ctx, { lease, isOpen }: LeasedQueue<T>) =>
  sql<SqlBool>`${isOpen} and (${sql.ref(lease)} is null or ${sql.ref(lease)} < ${inMs(ctx, 0)})`

async function update<T extends Table>(
  ctx: Ctx,
  { table }: LeasedQueue<T>,
  values: object,
  where: RawBuilder<unknown>,
): Promise<Row<T> | undefined> {
  const change = sql<
    Row<T>
  >`update ${sql.table(table)} set ${sql.join(equations(values))} where ${where} returning *`
  return (await inTx(ctx, ({ db }) => change.execute(db), SELF_GUARDED)).rows[0]
}

/** Without `triesAgain` the change closes the row. With `stops` the rest is left for the next time. */
export type Settled<T extends Table> = { change: Partial<Row<T>>; triesAgain?: boolean; stops?: boolean }

/** Does due work row by row. One process claims a row, and stores how it ended even if the database was away. */
export async function workOff<T extends Table>(
  ctx: Ctx,
  queue: LeasedQueue<T>,
  { where, ...until }: UntilAvailable & { where: RawBuilder<SqlBool> },
  work: (row: Row<T>) => Promise<Settled<T>>,
): Promise<void> {
  const [key, due, attempts] = [sql.ref(queue.key), sql.ref(queue.due), sql.ref(queue.attempts)]
  const isDue = () => sql`${isFree(ctx, queue)} and ${due} <= ${inMs(ctx, 0)} and ${where}`
  const next = async (limit: number) => {
    const rows = sql<{ id: unknown }>`select ${key} as id from ${sql.table(queue.table)}
      where ${isDue()} order by ${due}, ${key} limit ${limit}`
    return (await rows.execute(ctx.db)).rows
  }
  await inBatches({ size: queue.size, stopping: until.stopping }, next, async (rows) => {
    for (const { id } of rows) {
      if (until.stopping.aborted) return false
      // The update repeats the condition, which another process may have changed.
      const claim = { [queue.lease]: inMs(ctx, queue.leaseMs), [queue.attempts]: sql`${attempts} + 1` }
      const row = await update(ctx, queue, claim, sql`${key} = ${id} and ${isDue()}`)
      if (!row) continue
      const tries = Number(row[queue.attempts])
      const { change, triesAgain, stops } = await work(row)
      const again = triesAgain ? { [queue.due]: inMs(ctx, queue.waitMs(tries)) } : {}
      // The number of attempts names the claim, so that an end after the lease changes nothing.
      const isOurs = sql`${key} = ${id} and ${attempts} = ${tries} and ${queue.isOpen}`
      const settle = () => update(ctx, queue, { ...change, ...again, [queue.lease]: null }, isOurs)
      const mayGoOn = () => inMs(ctx, 0) < `${row[queue.lease]}`
      await untilAvailable(ctx.database, settle, { ...until, mayGoOn })
      if (stops) return false
    }
    return true
  })
}
