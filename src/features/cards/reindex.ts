import { type Ctx, inTx } from '../../core/context.ts'
import { type IndexedCard, indexCard } from '../search/index-card.ts'
import { contentOf } from './content.ts'

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
    const { card_id, workspace_id, owner_id, status } = row
    return { card_id, workspace_id, owner_id, status, ...contentOf(row) }
  })
}

/** Indexes every card as it is now; returns how many. Others may write meanwhile: each batch is a transaction. */
export async function reindexCards(ctx: Ctx): Promise<number> {
  let done = 0
  for (let after = ''; ; ) {
    const batch = await inTx(ctx, async (ctx) => {
      const cards = await indexableCards(ctx, after)
      for (const card of cards) await indexCard(ctx, card)
      return cards
    })
    done += batch.length
    const last = batch.at(-1)
    if (!last) return done
    after = last.card_id
  }
}
