import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Ctx, inTx, SELF_GUARDED } from '../../../core/context.ts'
import { holdLock } from '../../../db/locks.ts'
import { maintainIndex, removeDocuments } from '../../../search-index/index.ts'
import { ANALYSER_VERSION } from '../../../text/analyse.ts'
import { holdCards } from '../hold-card.ts'
import { type CardWords, wordsOfCard } from './document.ts'
import { indexCards } from './index-card.ts'
import { indexedCards } from './indexable-cards.ts'

/**
 * A card is stale when an older analyser has indexed it, or when something outside the card has changed what its index
 * entry says. Staleness is a mark in the index itself, so an interrupted job continues with the cards that are still
 * marked.
 */
const STALE_MARK = 0

export const REINDEX_JOB = 'stale-cards'

/** How many cards go into one transaction, and how long others may write before the next. */
type Pace = { cards: number; pauseMs: number }

/** Small, so that the one writer of SQLite is free again after a few milliseconds. */
const WHILE_SERVING: Pace = { cards: 25, pauseMs: 5 }
const BEFORE_SERVING: Pace = { cards: 500, pauseMs: 0 }

/** Marks the cards of a workspace whose visibility changes, in that transaction; a job re-indexes them after it. */
export async function reindexWorkspaceSoon(ctx: Ctx, workspaceId: string): Promise<void> {
  await ctx.db
    .updateTable('search_docs')
    .set({ analyser: STALE_MARK })
    .where('card_id', 'in', (eb) =>
      eb.selectFrom('cards').select('cards.card_id').where('cards.workspace_id', '=', workspaceId),
    )
    .execute()
  ctx.afterCommit(() => ctx.wakeups.emit(REINDEX_JOB))
}

async function markAllStale(ctx: Ctx): Promise<void> {
  await inTx(ctx, (ctx) => ctx.db.updateTable('search_docs').set({ analyser: STALE_MARK }).execute())
}

/** Among them may be cards that are deleted: they leave the index. */
const staleCards = (ctx: Ctx) =>
  ctx.db
    .selectFrom('search_docs')
    .innerJoin('cards', 'cards.card_id', 'search_docs.card_id')
    .where('search_docs.analyser', '<', ANALYSER_VERSION)

/** Cards from a time before there was an index. */
const missingCards = (ctx: Ctx) =>
  ctx.db
    .selectFrom('cards')
    .leftJoin('search_docs', 'search_docs.card_id', 'cards.card_id')
    .where('search_docs.card_id', 'is', null)
    .where('cards.deleted_at', 'is', null)

/** Cards that an upgrade or a workspace has marked. Cards of an older analyser are not among them. */
const markedCards = (ctx: Ctx) => staleCards(ctx).where('search_docs.analyser', '=', STALE_MARK)

type Which = 'stale' | 'marked' | 'missing'

type Named = { card_id: string; workspace_id: string }

/**
 * Locks what the entries are made of, so that no change of it is overtaken: first the cards, then the workspaces, as
 * deleting one does.
 */
async function holdSources(ctx: Ctx, cards: readonly Named[]): Promise<void> {
  if (ctx.database.engine !== 'postgres' || cards.length === 0) return
  await holdCards(
    ctx,
    cards.map((card) => card.card_id),
  )
  const workspaceIds = [...new Set(cards.map((card) => card.workspace_id))]
  await ctx.db
    .selectFrom('workspaces')
    .select('workspace_id')
    .where('workspace_id', 'in', workspaceIds)
    .orderBy('workspace_id')
    .forShare()
    .execute()
}

/** Indexes the cards as they are now; those that are deleted leave the index. */
async function indexHeld(
  ctx: Ctx,
  cardIds: readonly string[],
  counted: ReadonlyMap<string, CardWords>,
): Promise<void> {
  if (cardIds.length === 0) return
  const rows = await ctx.db.selectFrom('cards').selectAll().where('card_id', 'in', cardIds).execute()
  const [deleted, alive] = [
    rows.filter((row) => row.deleted_at !== null),
    rows.filter((row) => row.deleted_at === null),
  ]
  await removeDocuments(
    ctx,
    deleted.map((row) => row.card_id),
  )
  if (alive.length > 0) await indexCards(ctx, await indexedCards(ctx.db, alive), { counted })
}

function someOf(ctx: Ctx, which: Which, after: string, limit: number): Promise<Named[]> {
  const from =
    which === 'missing'
      ? missingCards(ctx).where('cards.card_id', '>', after).orderBy('cards.card_id')
      : which === 'marked'
        ? markedCards(ctx)
        : staleCards(ctx)
  return from.select(['cards.card_id', 'cards.workspace_id']).limit(limit).execute()
}

/** The words of the cards that are probably next. Counting takes longer than a transaction should. */
async function countAhead(
  ctx: Ctx,
  ...which: [Which, after: string, limit: number]
): Promise<Map<string, CardWords>> {
  const ids = (await someOf(ctx, ...which)).map((card) => card.card_id)
  const counted = new Map<string, CardWords>()
  if (ids.length === 0) return counted
  const rows = await ctx.db.selectFrom('cards').selectAll().where('card_id', 'in', ids).execute()
  for (const card of await indexedCards(ctx.db, rows)) counted.set(card.card_id, await wordsOfCard(card))
  return counted
}

/** Indexes some cards that come after one; returns their ids. */
async function reindexSome(ctx: Ctx, which: Which, after: string, limit: number): Promise<string[]> {
  const counted = await countAhead(ctx, which, after, limit)
  return inTx(
    ctx,
    async (ctx) => {
      await holdLock(ctx.db, ctx.database.engine, 'reindex')
      const named = await someOf(ctx, which, after, limit)
      const cardIds = named.map((card) => card.card_id)
      await holdSources(ctx, named)
      await indexHeld(ctx, cardIds, counted)
      return cardIds
    },
    SELF_GUARDED,
  )
}

type Watch = { onProgress?: (done: number) => void; stopping?: AbortSignal | undefined }

async function reindexThe(
  ctx: Ctx,
  which: Which,
  { cards, pauseMs }: Pace,
  { onProgress = () => {}, stopping }: Watch,
): Promise<number> {
  let done = 0
  // Marks are few and have an index. The search for missing cards goes through all cards, so it continues where it was.
  for (let after = ''; !stopping?.aborted; ) {
    const ids = await reindexSome(ctx, which, after, cards)
    const last = ids.at(-1)
    if (last === undefined) break
    after = last
    done += ids.length
    onProgress(done)
    if (pauseMs > 0) await sleep(pauseMs)
  }
  return done
}

/** How many cards wait to be indexed again. */
export async function staleCount(ctx: Ctx): Promise<number> {
  const stale = await staleCards(ctx).select(countOfCards).executeTakeFirstOrThrow()
  const missing = await missingCards(ctx).select(countOfCards).executeTakeFirstOrThrow()
  return stale.cards + missing.cards
}

const countOfCards = sql<number>`count(*)`.as('cards')

/** Indexes stale and missing cards, in small transactions while the service is running. */
export async function reindex(
  ctx: Ctx,
  onProgress: (done: number) => void = () => {},
  stopping?: AbortSignal,
): Promise<number> {
  const stale = await reindexThe(ctx, 'stale', WHILE_SERVING, { onProgress, stopping })
  const missing = await reindexThe(ctx, 'missing', WHILE_SERVING, {
    onProgress: (done) => onProgress(stale + done),
    stopping,
  })
  return stale + missing
}

/** Indexes every card again; after an interruption, the cards that are left. */
export async function reindexAll(
  ctx: Ctx,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<number> {
  if ((await staleCount(ctx)) === 0) await markAllStale(ctx)
  const total = await staleCount(ctx)
  return reindex(ctx, (done) => onProgress(done, total))
}

/** The job: stale cards only, since the search for missing cards goes through all of them. */
export async function reindexStale(ctx: Ctx, stopping: AbortSignal): Promise<void> {
  await reindexThe(ctx, 'stale', WHILE_SERVING, { stopping })
}

/** An upgrade may empty the index or mark cards in it. They are indexed before the first search. Returns how many cards. */
export async function bringIndexUpToDate(ctx: Ctx): Promise<number> {
  const filled = await fillEmptyIndex(ctx)
  const marked = await reindexThe(ctx, 'marked', BEFORE_SERVING, {})
  if (marked > 0) await maintainIndex(ctx)
  return filled + marked
}

/** Goes in the order of the cards and continues where it was stopped, so the last card is in the index only when all are. */
export async function fillEmptyIndex(ctx: Ctx): Promise<number> {
  const last = await ctx.db
    .selectFrom('cards')
    .leftJoin('search_docs', 'search_docs.card_id', 'cards.card_id')
    .select('search_docs.doc_no')
    .where('cards.deleted_at', 'is', null)
    .orderBy('cards.card_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!last || last.doc_no !== null) return 0
  const cards = await reindexThe(ctx, 'missing', BEFORE_SERVING, {})
  await maintainIndex(ctx)
  return cards
}
