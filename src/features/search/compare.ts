import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { documentOf, type IndexedCard } from './document.ts'
import { documentsWhere } from './index.store.ts'
import type { Candidate } from './packing.ts'

const isSame = (found: Candidate, card: IndexedCard): boolean => {
  const wanted = documentOf(card, false)
  return (
    found.length === wanted.length &&
    found.hashes.length === wanted.hashes.length &&
    wanted.hashes.every((hash, i) => hash === found.hashes[i] && wanted.levels[i] === found.levels[i])
  )
}

/** Ids of cards that the index does not have as they are now. */
export async function wronglyIndexed(ctx: Ctx, cards: readonly IndexedCard[]): Promise<string[]> {
  if (cards.length === 0) return []
  const ids = sql.join(cards.map((card) => card.card_id))
  const found = await documentsWhere(ctx, sql`cards.card_id in (${ids})`, cards.length)
  const byId = new Map(found.map((candidate) => [candidate.cardId, candidate]))
  return cards
    .filter((card) => {
      const candidate = byId.get(card.card_id)
      return !candidate || !isSame(candidate, card)
    })
    .map((card) => card.card_id)
}

/** Index entries of cards that are deleted, and counts that do not agree with the entries. */
export async function strayEntries(
  ctx: Ctx,
): Promise<{ deleted: number; countedCards: number; cards: number }> {
  const count = async (query: ReturnType<typeof sql<{ n: number }>>) =>
    Number((await query.execute(ctx.db)).rows[0]?.n ?? 0)
  return {
    deleted: await count(
      sql`select count(*) as n from search_docs join cards using (card_id) where cards.deleted_at is not null`,
    ),
    cards: await count(sql`select count(*) as n from search_docs`),
    countedCards: await count(
      sql`select (select cards from search_totals) + (select coalesce(sum(cards), 0) from search_changes) as n`,
    ),
  }
}
