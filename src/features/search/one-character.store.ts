import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { listedIn, type SearchScope } from './scope.ts'

/** A card whose words are not all in the index has more text to filter by. */
const MAX_CHARACTERS = 8000

/**
 * The beginning of the text that lists filter by, of the cards in scope that have this character, those changed last first. The character is a
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
    .select(sql<string>`substr(cards.filter_text, 1, ${MAX_CHARACTERS})`.as('filter_text'))
    .where(listedIn(scope))
    .where('cards.filter_text', 'like', `%${character}%`)
    .orderBy('cards.updated_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => row.filter_text)
}
