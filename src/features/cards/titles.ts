import type { UserCtx } from '../../core/context.ts'
import { mayRead } from './visibility.ts'

/** The titles of those of the cards that the viewer may read now: what names a card elsewhere must not tell more. */
export async function readableTitles(
  ctx: UserCtx,
  cardIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(cardIds)]
  if (wanted.length === 0) return new Map()
  const rows = await ctx.db
    .selectFrom('cards')
    .select(['card_id', 'title'])
    .where('card_id', 'in', wanted)
    .where(mayRead(ctx.viewer.userId))
    .execute()
  return new Map(rows.map(({ card_id, title }) => [card_id, title]))
}
