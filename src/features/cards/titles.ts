import type { UserCtx } from '../../core/context.ts'
import { mayRead } from './visibility.ts'

export type TitledCard = { card_id: string; title: string }

/** Of these cards, those that the viewer may read. A key without `search` reads no card, and so no title beside other things. */
export async function readableTitles(
  ctx: UserCtx,
  cardIds: readonly string[],
): Promise<Map<string, TitledCard>> {
  if (cardIds.length === 0 || !ctx.viewer.scopes.has('search')) return new Map()
  const rows = await ctx.db
    .selectFrom('cards')
    .select(['cards.card_id', 'cards.title'])
    .where('cards.card_id', 'in', [...new Set(cardIds)])
    .where(mayRead(ctx.viewer.userId))
    .execute()
  return new Map(rows.map((row) => [row.card_id, row]))
}
