import type { Ctx } from '../../core/context.ts'
import { filterTextHas } from '../cards/list.store.ts'
import { listedIn, type SearchScope } from './scope.ts'

/** What lists filter by, of the cards in scope that have this text, those changed last first. */
export async function textsWith(
  ctx: Ctx,
  scope: SearchScope,
  text: string,
  limit: number,
): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom('cards')
    .select('cards.filter_text')
    .where(listedIn(scope))
    .where(filterTextHas(text))
    .orderBy('cards.updated_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => row.filter_text)
}
