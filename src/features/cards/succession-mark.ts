import { type Db, isSqlite } from '../../db/db.ts'

/**
 * Notes in the cards that a card has replaced whether it is there: neither deleted nor hidden. Call it after every change of
 * that. Its row is locked, so that it is not deleted while it takes the place of another.
 */
export async function markSuccession(db: Db, successorId: string): Promise<void> {
  const successor = db
    .selectFrom('cards')
    .select(['deleted_at', 'hidden_at'])
    .where('card_id', '=', successorId)
  const row = await (isSqlite(db) ? successor : successor.forShare()).executeTakeFirst()
  const isThere = row !== undefined && row.deleted_at === null && row.hidden_at === null
  await db
    .updateTable('cards')
    .set({ successor_gone: isThere ? 0 : 1 })
    .where('superseded_by', '=', successorId)
    .execute()
}
