import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Ctx, inTx } from '../../core/context.ts'
import { contentOf } from '../cards/content.ts'
import { analyserVersion } from './analyse.ts'
import { indexCards } from './index-card.ts'
import { tendIndex } from './tend.ts'

/**
 * A card is stale when another analyser has read it, or when something outside the card has changed what its index
 * entry says. Staleness is a mark in the index itself: whoever re-indexes, and however often it is interrupted, goes
 * on where the marks are.
 */
const staleMark = 0

export const REINDEX_JOB = 'stale-cards'

/** Small, so that the one writer of SQLite is free again after a few milliseconds. */
const cardsAtOnce = 25
const pauseMs = 5
/** Any fixed number: processes that re-index at the same time take turns. */
const reindexLock = 7_205_761

/** Marks the cards of a workspace whose visibility changes, in that transaction; a job re-indexes them after it. */
export async function reindexWorkspaceSoon(ctx: Ctx, workspaceId: string): Promise<void> {
  await ctx.db
    .updateTable('search_docs')
    .set({ analyser: staleMark })
    .where('card_id', 'in', (eb) =>
      eb.selectFrom('cards').select('cards.card_id').where('cards.workspace_id', '=', workspaceId),
    )
    .execute()
  ctx.afterCommit(() => ctx.wakeups.emit(REINDEX_JOB))
}

async function markAllStale(ctx: Ctx): Promise<void> {
  await inTx(ctx, (ctx) => ctx.db.updateTable('search_docs').set({ analyser: staleMark }).execute())
}

const staleCards = (ctx: Ctx) =>
  ctx.db
    .selectFrom('search_docs')
    .innerJoin('cards', 'cards.card_id', 'search_docs.card_id')
    .where('search_docs.analyser', '<', analyserVersion)
    .where('cards.deleted_at', 'is', null)

/** Cards from a time before there was an index. */
const missingCards = (ctx: Ctx) =>
  ctx.db
    .selectFrom('cards')
    .leftJoin('search_docs', 'search_docs.card_id', 'cards.card_id')
    .where('search_docs.card_id', 'is', null)
    .where('cards.deleted_at', 'is', null)

function reindexSome(ctx: Ctx, which: 'stale' | 'missing'): Promise<number> {
  return inTx(
    ctx,
    async (ctx) => {
      if (ctx.database.engine === 'postgres')
        await sql`select pg_advisory_xact_lock(${reindexLock})`.execute(ctx.db)
      const from = which === 'stale' ? staleCards(ctx) : missingCards(ctx)
      const rows = await from.selectAll('cards').limit(cardsAtOnce).execute()
      const cards = rows.map((row) => {
        const { card_id, workspace_id, owner_id, status } = row
        return { ...contentOf(row), card_id, workspace_id, owner_id, status }
      })
      if (cards.length > 0) await indexCards(ctx, cards)
      return rows.length
    },
    { isolation: 'read committed' },
  )
}

/** How many cards wait to be indexed again. */
export async function staleCount(ctx: Ctx): Promise<number> {
  const stale = await staleCards(ctx).select(countOfCards).executeTakeFirstOrThrow()
  const missing = await missingCards(ctx).select(countOfCards).executeTakeFirstOrThrow()
  return stale.cards + missing.cards
}

const countOfCards = sql<number>`count(*)`.as('cards')

/** Indexes again what is stale, and what is missing, in small transactions while the service goes on. */
export async function reindex(
  ctx: Ctx,
  onProgress: (done: number) => void = () => {},
  stopping?: AbortSignal,
): Promise<number> {
  let done = 0
  for (const which of ['stale', 'missing'] as const)
    for (let some = 1; some > 0 && !stopping?.aborted; ) {
      some = await reindexSome(ctx, which)
      done += some
      if (some > 0) onProgress(done)
      await sleep(pauseMs)
    }
  return done
}

/** Reads every card again; where a run was interrupted, the cards that it has not reached. */
export async function reindexAll(
  ctx: Ctx,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<number> {
  if ((await staleCount(ctx)) === 0) await markAllStale(ctx)
  const total = await staleCount(ctx)
  return reindex(ctx, (done) => onProgress(done, total))
}

/** The job: the marks only, since looking for cards that are missing means reading all of them. */
export async function reindexStale(ctx: Ctx, stopping: AbortSignal): Promise<void> {
  let some = 1
  while (some > 0 && !stopping.aborted) {
    some = await reindexSome(ctx, 'stale')
    if (some > 0) await sleep(pauseMs)
  }
}

/** A vault with cards and an empty index comes from an upgrade: fills the index before anybody searches in vain. */
export async function fillEmptyIndex(ctx: Ctx): Promise<number> {
  const indexed = await ctx.db.selectFrom('search_docs').select('doc_no').limit(1).execute()
  if (indexed.length > 0) return 0
  const cards = await reindex(ctx)
  await tendIndex(ctx)
  return cards
}
