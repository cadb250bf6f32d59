import type { Ctx } from '../../core/context.ts'
import { contentOf } from './content.ts'
import type { IndexedCard } from './indexing/index-card.ts'

const BATCH = 100

/** Cards that belong into the index, after `after` in the order of their ids. */
export async function indexableCards(ctx: Ctx, after: string, limit = BATCH): Promise<IndexedCard[]> {
  const rows = await ctx.db
    .selectFrom('cards')
    .selectAll()
    .where('deleted_at', 'is', null)
    .where('card_id', '>', after)
    .orderBy('card_id')
    .limit(limit)
    .execute()
  return rows.map((row) => {
    const { card_id, workspace_id, owner_id, status, review_status } = row
    return { card_id, workspace_id, owner_id, status, review_status, ...contentOf(row) }
  })
}
