import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { type Ctx, inTx, SELF_GUARDED } from '../core/context.ts'
import type { Database } from '../db/db.ts'
import { inMs } from '../db/queue.ts'
import type { Schema } from '../db/schema.ts'

/** One row that all processes share: who makes vectors, of which form they are, and whether the endpoint fails. */
export type VectorState = Selectable<Schema['search_vector_state']>

/** Longer than one request to the endpoint; a process that dies is followed after this time. */
const LEASE_MS = 20_000
const KEPT_MS = 2000

const PROCESS = randomUUID()

const kept = new WeakMap<Database, { at: number; state: VectorState }>()

export async function readState(ctx: Ctx, mayBeKept = true): Promise<VectorState> {
  const known = kept.get(ctx.database)
  if (mayBeKept && known && performance.now() - known.at < KEPT_MS) return known.state
  const state = await ctx.db
    .selectFrom('search_vector_state')
    .selectAll()
    .where('id', '=', 1)
    .executeTakeFirstOrThrow()
  kept.set(ctx.database, { at: performance.now(), state })
  return state
}

export async function changeState(ctx: Ctx, change: Partial<VectorState>): Promise<void> {
  await inTx(
    ctx,
    ({ db }) => db.updateTable('search_vector_state').set(change).where('id', '=', 1).execute(),
    SELF_GUARDED,
  )
  kept.delete(ctx.database)
}

/** Takes or keeps the turn of this process; returns false while another process has it. */
export async function takeTurn(ctx: Ctx): Promise<boolean> {
  const { leased_by, leased_until } = await readState(ctx, false)
  const now = inMs(ctx, 0)
  if (leased_by !== null && leased_by !== PROCESS && (leased_until ?? '') >= now) return false
  const taken = await inTx(
    ctx,
    ({ db }) =>
      db
        .updateTable('search_vector_state')
        .set({ leased_by: PROCESS, leased_until: inMs(ctx, LEASE_MS) })
        .where('id', '=', 1)
        .where((eb) =>
          eb.or([
            eb('leased_by', 'is', null),
            eb('leased_by', '=', PROCESS),
            eb(sql`coalesce(leased_until, '')`, '<', now),
          ]),
        )
        .executeTakeFirst(),
    SELF_GUARDED,
  )
  return taken.numUpdatedRows > 0n
}

export const endTurn = (ctx: Ctx): Promise<void> => changeState(ctx, { leased_by: null, leased_until: null })
