import type { Ctx } from '../../core/context.ts'
import { listedIn, type SearchScope } from './scope.ts'

/**
 * The text that lists filter by, of the cards in scope that have this character, those changed last first. The character is a
 * letter, so it is never a wildcard.
 */
export async function textsWith(
  ctx: Ctx,
  scope: SearchScope,
  character: string,
  limit: number,
): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom('cards')
    .select('cards.filter_text')
    .where(listedIn(scope))
    .where('cards.filter_text', 'like', `%${character}%`)
    .orderBy('cards.updated_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => row.filter_text)
}
