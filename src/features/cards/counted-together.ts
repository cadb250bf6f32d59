import type { Db } from '../../db/db.ts'

/** The card on which verdicts and feedback on this one count, and all cards that count there. */
export async function countedTogether(db: Db, cardId: string): Promise<{ on: string; cardIds: string[] }> {
  const merge = await db
    .selectFrom('card_merges')
    .select('into_card_id')
    .where('from_card_id', '=', cardId)
    .executeTakeFirst()
  const on = merge?.into_card_id ?? cardId
  const merged = await db
    .selectFrom('card_merges')
    .select('from_card_id')
    .where('into_card_id', '=', on)
    .execute()
  return { on, cardIds: [on, ...merged.map((row) => row.from_card_id)] }
}
