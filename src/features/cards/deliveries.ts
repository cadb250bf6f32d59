import { type Selectable, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { type Ctx, inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import type { Events, Subscribers } from '../../core/events.ts'
import { type Database, type Db, isSqlite } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import type { RecallCallsTable, RecalledKind, RecallItemsTable } from '../../db/knowledge-schema.ts'
import { insertRow, type Named, prepared } from '../../db/prepared.ts'
import { isAmongTexts, textList } from '../../db/sql-values.ts'
import { DAY_MS } from '../../shared/time.ts'

/** Stores recalls: what was requested, what was delivered, and whether the person opened it. */

const KEPT_MS = 400 * DAY_MS
/** A card that is read later does not count as opened because of the delivery. */
const OPENED_WITHIN_MS = DAY_MS
const MAX_PER_SESSION = 1000

export type Delivered = Pick<Selectable<RecallItemsTable>, 'kind' | 'item_id' | 'created_at'>
type NewCall = Omit<RecallCallsTable, 'user_id' | 'created_at'>
type NewItem = { kind: RecalledKind; item_id: string; confidence: number | null }

const inSession = prepared(
  'recalledInSession',
  (db, parameter: Named<{ user_id: string; session_id: string }>) =>
    db
      .selectFrom('recall_items')
      .select(['kind', 'item_id', 'created_at'])
      .where('user_id', '=', parameter('user_id'))
      .where('session_id', '=', parameter('session_id'))
      .orderBy('created_at', 'desc')
      .limit(MAX_PER_SESSION),
)

export const deliveredIn = (ctx: UserCtx, sessionId: string | null): Promise<Delivered[]> =>
  sessionId === null
    ? Promise.resolve([])
    : inSession(ctx.db, { user_id: ctx.viewer.userId, session_id: sessionId })

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
const MAX_WAITING = 5000

type Opened = { user_id: string; item_id: string; at: number }

/** Reads wait in memory for a second; an orderly shutdown writes them, a killed process loses them. */
const WAITING = new WeakMap<Database, Map<string, Opened>>()

export function noteOpened(ctx: UserCtx, cardId: string): void {
  const waiting = WAITING.get(ctx.database) ?? new Map<string, Opened>()
  const { userId } = ctx.viewer
  waiting.set(userId + cardId, { user_id: userId, item_id: cardId, at: ctx.now().getTime() })
  if (waiting.size === 1) WAITING.set(ctx.database, waiting)
  if (waiting.size >= MAX_WAITING) ctx.wakeups.emit(OPENED_JOB)
}

const unopened = prepared(
  'unopenedRecalls',
  (db, parameter: Named<{ user_id: string; item_ids: string; since: string }>) =>
    db
      .selectFrom('recall_items')
      .select('item_id')
      .where('user_id', '=', parameter('user_id'))
      .where(isAmongTexts(db, 'item_id', parameter('item_ids')))
      .where('opened_at', 'is', null)
      .where('created_at', '>=', parameter('since')),
)

const isoTime = (ms: number): string => new Date(ms).toISOString()

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

/** Writes waiting reads. Runs each second and at shutdown. */
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

/** Limited, so that a database failure does not fill the memory. */
function waitAgain(database: Database, unwritten: ReadonlyMap<string, Opened>): void {
  const waiting = WAITING.get(database) ?? new Map<string, Opened>()
  for (const [key, read] of unwritten)
    if (!waiting.has(key) && waiting.size < MAX_WAITING / 2) waiting.set(key, read)
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

/** Housekeeping: deletes rows older than a little more than a year, the longest period of the statistics. */
export async function dropOldRecalls(ctx: Ctx): Promise<void> {
  const before = new Date(ctx.now().getTime() - KEPT_MS).toISOString()
  await inTx(ctx, async (ctx) => {
    for (const table of ['recall_items', 'recall_calls'] as const)
      await ctx.db.deleteFrom(table).where('created_at', '<', before).execute()
  })
}

type Read = { user_id: string; card_id: string; last_at: string }

/** Stores reads, without cards that were removed and people who deleted their account meanwhile. */
async function keepReads(db: Db, reads: readonly Read[]): Promise<void> {
  const people = await db
    .selectFrom('users')
    .select('user_id')
    .where('user_id', 'in', [...new Set(reads.map((read) => read.user_id))])
    .where('deleted_at', 'is', null)
    .$if(!isSqlite(db), (query) => query.forShare())
    .execute()
  const there = await db
    .selectFrom('cards')
    .select('card_id')
    .where('card_id', 'in', [...new Set(reads.map((read) => read.card_id))])
    .execute()
  const known = new Set(there.map((row) => row.card_id))
  const present = new Set(people.map((row) => row.user_id))
  const rows = reads.filter((read) => known.has(read.card_id) && present.has(read.user_id))
  if (rows.length === 0) return
  await db
    .insertInto('card_reads')
    .values(rows)
    .onConflict((oc) => oc.columns(['user_id', 'card_id']).doUpdateSet({ last_at: sql`excluded.last_at` }))
    .execute()
}

/** More than one answer holds, because cards that are visible again are dropped later. */
const MAX_EXAMINED = 50

type ReadsQuery = { userId: string; projectKey: string; since: string; limit: number }

const MATTERS_AT_ONCE = 500

const hidingMatters = (db: Db, { userId, since }: ReadsQuery, offset: number) =>
  db
    .selectFrom('moderation_matters as matters')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'matters.workspace_id')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.workspace_id', '=', 'matters.workspace_id')
        .on('memberships.user_id', '=', userId),
    )
    .select(['matters.card_id', 'matters.reason', 'matters.card_version', 'matters.decided_version'])
    .where((eb) =>
      eb.or([
        eb('matters.was_open', '=', 1),
        eb('workspaces.visibility', '!=', 'private'),
        eb('memberships.user_id', 'is not', null),
      ]),
    )
    .where(sql<boolean>`(matters.hidden_by_reports = 1 or matters.decision in ('hide', 'remove'))`)
    .where('matters.updated_at', '>=', since)
    .where('matters.owner_id', '!=', userId)
    .orderBy('matters.updated_at', 'desc')
    .orderBy('matters.matter_id')
    .limit(MATTERS_AT_ONCE)
    .offset(offset)
    .execute()

async function readAndNotTold(db: Db, { userId, projectKey }: ReadsQuery, cardIds: readonly string[]) {
  const rows = await db
    .selectFrom('card_reads')
    .select('card_reads.card_id')
    .where('card_reads.user_id', '=', userId)
    .where(isAmongTexts(db, 'card_reads.card_id', textList(cardIds)))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('withdrawals_told')
            .select('withdrawals_told.card_id')
            .where('withdrawals_told.user_id', '=', userId)
            .whereRef('withdrawals_told.card_id', '=', 'card_reads.card_id')
            .where('withdrawals_told.project_key', '=', projectKey),
        ),
      ),
    )
    .execute()
  return new Set(rows.map((row) => row.card_id))
}

/** Two queries, because a cluster stores reads by person; hidden cards first, as they are few. */
async function hiddenAndRead(db: Db, asked: ReadsQuery) {
  const found: Awaited<ReturnType<typeof hidingMatters>> = []
  for (let offset = 0; found.length < MAX_EXAMINED; offset += MATTERS_AT_ONCE) {
    const matters = await hidingMatters(db, asked, offset)
    if (matters.length === 0) break
    const cardIds = matters.map((matter) => matter.card_id)
    const wanted = await readAndNotTold(db, asked, cardIds)
    found.push(...matters.filter((matter) => wanted.has(matter.card_id)))
    if (matters.length < MATTERS_AT_ONCE) break
  }
  return found.slice(0, MAX_EXAMINED)
}

async function withdrawnCards(db: Db, asked: ReadsQuery) {
  const matters = await hiddenAndRead(db, asked)
  if (matters.length === 0) return []
  const newest = new Map(matters.toReversed().map((row) => [row.card_id, row]))
  const rows = await db
    .selectFrom('cards')
    .select(['card_id', 'title', 'workspace_id', 'hidden_at', 'version'])
    .where('card_id', 'in', [...newest.keys()])
    .where('hidden_at', 'is not', null)
    .orderBy('hidden_at', 'desc')
    .orderBy('card_id')
    .limit(asked.limit)
    .execute()
  return rows.map(({ version, ...row }) => {
    const matter = newest.get(row.card_id)
    const decided = matter?.decided_version ?? matter?.card_version ?? 0
    return { ...row, reason: matter?.reason ?? null, isChanged: version > decided }
  })
}

/** Records that cards were told; returns those that no parallel request has told. */
export async function keepTold(
  db: Db,
  { userId, projectKey, now }: { userId: string; projectKey: string; now: string },
  cardIds: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .insertInto('withdrawals_told')
    .values(cardIds.map((card_id) => ({ user_id: userId, card_id, project_key: projectKey, told_at: now })))
    .onConflict((oc) => oc.doNothing())
    .returning('card_id')
    .execute()
  return new Set(rows.map((row) => row.card_id))
}

async function dropReads(db: Db, before: string, hiddenBefore: string): Promise<void> {
  const hidden = await db
    .selectFrom('cards')
    .select('card_id')
    .where('hidden_at', '>=', hiddenBefore)
    .execute()
  const kept = textList(hidden.map((card) => card.card_id))
  await db
    .deleteFrom('card_reads')
    .where('last_at', '<', before)
    .where((eb) => eb.not(isAmongTexts(db, 'card_id', kept)))
    .execute()
  await db.deleteFrom('withdrawals_told').where('told_at', '<', hiddenBefore).execute()
}

/** Kept 30 days, so that a person can be told when a card that their agents have read is withdrawn. */

export const READS_JOB = 'card-reads'
const KEPT_DAYS = 30
/** Time in which an absent person can still be told about a withdrawal. */
const TOLD_DAYS = 90
const AGAIN_MS = DAY_MS / 2
const MAX_WAITING_READS = 5000
const MAX_CACHE_ENTRIES = 50_000

/** Reads wait in memory for a second; an orderly shutdown writes them, a killed process loses them. */
type Waiting = { reads: Map<string, Read>; written: LRUCache<string, number>; writing: Promise<void> }
const WAITING_READS = new WeakMap<Database, Waiting>()

function waitingOf(database: Database): Waiting {
  const known = WAITING_READS.get(database)
  if (known) return known
  const made: Waiting = {
    reads: new Map(),
    written: new LRUCache({ max: MAX_CACHE_ENTRIES }),
    writing: Promise.resolve(),
  }
  WAITING_READS.set(database, made)
  return made
}

/** Notes that the viewer's agent has read these cards. Browser sessions do not count. */
export function noteReads(ctx: Ctx, cards: Events['cards.shown']['cards']): void {
  if (!ctx.viewer || ctx.viewer.credential.kind === 'session') return
  const { userId } = ctx.viewer
  const { reads, written } = waitingOf(ctx.database)
  const now = ctx.now()
  for (const { card_id, owner_id } of cards) {
    const key = `${userId} ${card_id}`
    if (owner_id === userId || (written.get(key) ?? 0) > now.getTime() - AGAIN_MS) continue
    reads.set(key, { user_id: userId, card_id, last_at: now.toISOString() })
    written.set(key, now.getTime())
  }
  if (reads.size >= MAX_WAITING_READS) ctx.wakeups.emit(READS_JOB)
}

export const readSubscribers: Subscribers<Ctx> = {
  'cards.shown': [(ctx, { cards }) => noteReads(ctx, cards)],
}

/** Writes waiting reads, one write at a time. Runs each second and at shutdown. */
export function keepWaitingReads(ctx: Ctx): Promise<void> {
  const waiting = waitingOf(ctx.database)
  waiting.writing = waiting.writing.catch(() => {}).then(() => writeReads(ctx, waiting))
  return waiting.writing
}

async function writeReads(ctx: Ctx, waiting: Waiting): Promise<void> {
  const { reads } = waiting
  waiting.reads = new Map()
  // Sorted by key, so that two processes lock rows in the same order and cannot deadlock.
  const entries = [...reads.entries()].sort(([a], [b]) => (a < b ? -1 : 1))
  for (let from = 0; from < entries.length; from += MAX_WAITING_READS) {
    const some = entries.slice(from, from + MAX_WAITING_READS).map(([, read]) => read)
    try {
      await inTx(ctx, (ctx) => keepReads(ctx.db, some), SELF_GUARDED)
    } catch (error) {
      keepReadsWaiting(waiting, entries.slice(from))
      throw error
    }
  }
}

/** Limited, so that a full disk does not fill the memory. */
function keepReadsWaiting({ reads, written }: Waiting, entries: readonly [string, Read][]): void {
  for (const [key, read] of entries) {
    if (reads.has(key)) continue
    if (reads.size < MAX_WAITING_READS / 2) reads.set(key, read)
    else written.delete(key)
  }
}

export type Withdrawn = Awaited<ReturnType<typeof withdrawnCards>>[number]

/** Returns cards that were withdrawn after the viewer's agents read them, once in each project. */
export async function tellWithdrawn(ctx: UserCtx, projectKey: string, limit: number): Promise<Withdrawn[]> {
  const { userId, credential } = ctx.viewer
  if (credential.kind === 'session') return []
  const since = new Date(ctx.now().getTime() - TOLD_DAYS * DAY_MS).toISOString()
  const asked = { userId, projectKey, since, limit }
  if ((await withdrawnCards(ctx.db, asked)).length === 0) return []
  return inTx(
    ctx,
    async (ctx) => {
      const withdrawn = await withdrawnCards(ctx.db, asked)
      if (withdrawn.length === 0) return []
      const told = await keepTold(
        ctx.db,
        { userId, projectKey, now: ctx.now().toISOString() },
        withdrawn.map((row) => row.card_id),
      )
      return withdrawn.filter((row) => told.has(row.card_id))
    },
    SELF_GUARDED,
  )
}

export async function dropOldReads(ctx: Ctx): Promise<void> {
  const daysAgo = (days: number) => new Date(ctx.now().getTime() - days * DAY_MS).toISOString()
  await inTx(ctx, (ctx) => dropReads(ctx.db, daysAgo(KEPT_DAYS), daysAgo(TOLD_DAYS)))
}
