import { setTimeout as sleep } from 'node:timers/promises'
import { type Ctx, inTx } from '../../core/context.ts'
import { updateCardRow } from './cards.store.ts'
import { contentOf } from './content.ts'
import { refilterCards } from './indexing/index-card.ts'
import { review, reviewColumns } from './review.ts'

/** Small, so that the one writer of SQLite is free again after a few milliseconds. */
const BATCH = 25
const PAUSE_MS = 5

/** Reviews some shared cards that were never reviewed; returns how many. */
const reviewSome = (ctx: Ctx): Promise<number> =>
  inTx(ctx, async (ctx) => {
    const rows = await ctx.db
      .selectFrom('cards')
      .selectAll()
      .where('status', '=', 'published')
      .where('review_status', '=', 'not_reviewed')
      .where('deleted_at', 'is', null)
      .orderBy('card_id')
      .limit(BATCH)
      .execute()
    const now = ctx.now().toISOString()
    const reviewed = []
    for (const row of rows) {
      const columns = reviewColumns(await review(ctx, row, contentOf(row), row.evidence_count), now)
      await updateCardRow(ctx.db, row.card_id, columns)
      reviewed.push({ ...row, ...columns })
    }
    if (reviewed.length > 0) await refilterCards(ctx, reviewed)
    return reviewed.length
  })

/**
 * The job: strangers see only what has passed a review, and earlier versions did not store one when a card was
 * shared. Without this, a good card in a public workspace would stay hidden until its owner shares it again.
 */
export async function reviewSharedCards(ctx: Ctx, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted && (await reviewSome(ctx)) === BATCH) await sleep(PAUSE_MS)
}
