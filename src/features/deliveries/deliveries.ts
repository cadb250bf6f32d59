/** The rows of recall: what was asked, what was delivered, and whether the person opened it. */
import type { Selectable } from 'kysely'
import { type Ctx, inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { DAY_MS } from '../../core/day.ts'
import type { Database } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import { insertRow, type Named, prepared } from '../../db/prepared.ts'
import type { RecallCallsTable, RecalledKind, RecallItemsTable } from '../../db/tables/recall.ts'
import { isAmongTexts, textList } from '../../db/text-list.ts'

const KEPT_MS = 400 * DAY_MS
/** A card that is read later than this does not count as opened because of the delivery. */
const OPENED_WITHIN_MS = DAY_MS
/** Only the newest deliveries of a session are looked at. */
const MOST_IN_SESSION = 1000

export type Delivered = Pick<Selectable<RecallItemsTable>, 'kind' | 'item_id' | 'created_at'>
export type NewCall = Omit<RecallCallsTable, 'user_id' | 'created_at'>
export type NewItem = { kind: RecalledKind; item_id: string; confidence: number | null }

const inSession = prepared((db, parameter: Named<{ user_id: string; session_id: string }>) =>
  db
    .selectFrom('recall_items')
    .select(['kind', 'item_id', 'created_at'])
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

export const OPENED_JOB = 'opened-cards'
const MOST_WAITING = 5000

type Opened = { user_id: string; item_id: string; at: number }

/**
 * What was read waits in memory for a second, so that reading a card asks nothing about deliveries, and the reads of a second
 * are looked at together. An orderly end writes them; what a process that is killed has not written is not known.
 */
const WAITING = new WeakMap<Database, Map<string, Opened>>()

/** The viewer reads a card: if it was delivered to them within the last day, it counts as opened. */
export function noteOpened(ctx: UserCtx, cardId: string): void {
  const waiting = WAITING.get(ctx.database) ?? new Map<string, Opened>()
  const { userId } = ctx.viewer
  waiting.set(userId + cardId, { user_id: userId, item_id: cardId, at: ctx.now().getTime() })
  if (waiting.size === 1) WAITING.set(ctx.database, waiting)
  if (waiting.size >= MOST_WAITING) ctx.wakeups.emit(OPENED_JOB)
}

const unopened = prepared((db, parameter: Named<{ user_id: string; item_ids: string; since: string }>) =>
  db
    .selectFrom('recall_items')
    .select('item_id')
    .where('user_id', '=', parameter('user_id'))
    .where(isAmongTexts(db, 'item_id', parameter('item_ids')))
    .where('opened_at', 'is', null)
    .where('created_at', '>=', parameter('since')),
)

const isoTime = (ms: number): string => new Date(ms).toISOString()

/** Of the cards that one person has read, those that were delivered before. */
async function delivered(ctx: Ctx, reads: readonly Opened[]): Promise<Opened[]> {
  const [first] = reads
  if (!first) return []
  const rows = await unopened(ctx.db, {
    user_id: first.user_id,
    item_ids: textList(reads.map((read) => read.item_id)),
    since: isoTime(Math.min(...reads.map((read) => read.at)) - OPENED_WITHIN_MS),
  })
  const found = new Set(rows.map((row) => row.item_id))
  return reads.filter((read) => found.has(read.item_id))
}

const markOpened = (ctx: Ctx, { user_id, item_id, at }: Opened) =>
  ctx.db
    .updateTable('recall_items')
    .set({ opened_at: isoTime(at) })
    .where('user_id', '=', user_id)
    .where('item_id', '=', item_id)
    .where('opened_at', 'is', null)
    .where('created_at', '>=', isoTime(at - OPENED_WITHIN_MS))
    .where('created_at', '<=', isoTime(at))
    .execute()

/** The job, each second, and at the end of the process: writes what waits. */
export async function keepOpened(ctx: Ctx): Promise<void> {
  const waiting = WAITING.get(ctx.database)
  if (!waiting) return
  WAITING.delete(ctx.database)
  try {
    await writeOpened(ctx, waiting)
  } catch (error) {
    waitAgain(ctx.database, waiting)
    throw error
  }
}

/** What could not be written waits for the next time. While the database takes nothing it must not fill the memory. */
function waitAgain(database: Database, unwritten: ReadonlyMap<string, Opened>): void {
  const waiting = WAITING.get(database) ?? new Map<string, Opened>()
  for (const [key, read] of unwritten)
    if (!waiting.has(key) && waiting.size < MOST_WAITING / 2) waiting.set(key, read)
  WAITING.set(database, waiting)
}

async function writeOpened(ctx: Ctx, waiting: ReadonlyMap<string, Opened>): Promise<void> {
  const opened: Opened[] = []
  for (const reads of Map.groupBy(waiting.values(), (read) => read.user_id).values())
    opened.push(...(await delivered(ctx, reads)))
  // Sorted, so that two processes lock rows in the same order and cannot deadlock.
  opened.sort((a, b) => (a.user_id + a.item_id < b.user_id + b.item_id ? -1 : 1))
  if (opened.length === 0) return
  await inTx(
    ctx,
    async (ctx) => {
      for (const one of opened) await markOpened(ctx, one)
    },
    SELF_GUARDED,
  )
}

/** Housekeeping: rows are kept a little longer than a year, the longest time of which there are figures. */
export async function dropOldRecalls(ctx: Ctx): Promise<void> {
  const before = new Date(ctx.now().getTime() - KEPT_MS).toISOString()
  await inTx(ctx, async (ctx) => {
    for (const table of ['recall_items', 'recall_calls'] as const)
      await ctx.db.deleteFrom(table).where('created_at', '<', before).execute()
  })
}
