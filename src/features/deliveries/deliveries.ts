/** The rows of recall: what was asked, what was delivered, and whether the person opened it. */
import type { Selectable } from 'kysely'
import { type Ctx, inTx, type UserCtx } from '../../core/context.ts'
import { newId } from '../../db/ids.ts'
import { insertRow, type Named, prepared } from '../../db/prepared.ts'
import type { RecallCallsTable, RecalledKind, RecallItemsTable } from '../../db/tables/recall.ts'

const DAY_MS = 86_400_000
const KEPT_MS = 400 * DAY_MS
/** A card that is read later than this does not count as opened because of the delivery. */
const OPENED_WITHIN_MS = DAY_MS
/** Only the newest deliveries of a session are looked at. */
const MOST_IN_SESSION = 1000

export type Delivered = Pick<Selectable<RecallItemsTable>, 'kind' | 'item_id'>
export type NewCall = Omit<RecallCallsTable, 'user_id' | 'created_at'>
export type NewItem = { kind: RecalledKind; item_id: string; confidence: number | null }

const inSession = prepared((db, parameter: Named<{ user_id: string; session_id: string }>) =>
  db
    .selectFrom('recall_items')
    .select(['kind', 'item_id'])
    .where('user_id', '=', parameter('user_id'))
    .where('session_id', '=', parameter('session_id'))
    .orderBy('created_at', 'desc')
    .limit(MOST_IN_SESSION),
)

/** What the viewer's agent already received in a session, newest first. */
export const deliveredIn = (ctx: UserCtx, sessionId: string | null): Promise<Delivered[]> =>
  sessionId === null
    ? Promise.resolve([])
    : inSession(ctx.db, { user_id: ctx.viewer.userId, session_id: sessionId })

/** Stores a call and what it delivered, in the open transaction. A repeated delivery in a session keeps its first row. */
export async function keepCall(ctx: UserCtx, call: NewCall, items: readonly NewItem[]): Promise<void> {
  const row = { user_id: ctx.viewer.userId, created_at: ctx.now().toISOString() }
  await insertRow(ctx.db, 'recall_calls', { ...call, ...row })
  for (const item of items)
    await ctx.db
      .insertInto('recall_items')
      .values({
        delivery_id: newId(),
        call_id: call.call_id,
        session_id: call.session_id,
        opened_at: null,
        ...item,
        ...row,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
}

const unopened = prepared((db, parameter: Named<{ user_id: string; item_id: string; since: string }>) =>
  db
    .selectFrom('recall_items')
    .select('delivery_id')
    .where('user_id', '=', parameter('user_id'))
    .where('item_id', '=', parameter('item_id'))
    .where('opened_at', 'is', null)
    .where('created_at', '>=', parameter('since'))
    .limit(1),
)

/** The viewer reads a card: if it was delivered to them within the last day, it counts as opened. */
export async function noteOpened(ctx: UserCtx, cardId: string): Promise<void> {
  const now = ctx.now()
  const since = new Date(now.getTime() - OPENED_WITHIN_MS).toISOString()
  const user_id = ctx.viewer.userId
  const waiting = await unopened(ctx.db, { user_id, item_id: cardId, since })
  if (waiting.length === 0) return
  await inTx(
    ctx,
    (ctx) =>
      ctx.db
        .updateTable('recall_items')
        .set({ opened_at: now.toISOString() })
        .where('user_id', '=', user_id)
        .where('item_id', '=', cardId)
        .where('opened_at', 'is', null)
        .where('created_at', '>=', since)
        .execute(),
    { isolation: 'read committed' },
  )
}

/** Housekeeping: rows are kept for two years, so that a year can be compared with the one before. */
export async function dropOldRecalls(ctx: Ctx): Promise<void> {
  const before = new Date(ctx.now().getTime() - KEPT_MS).toISOString()
  await inTx(ctx, async (ctx) => {
    for (const table of ['recall_items', 'recall_calls'] as const)
      await ctx.db.deleteFrom(table).where('created_at', '<', before).execute()
  })
}
