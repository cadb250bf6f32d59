import type { Db } from '../../db/db.ts'
import type { FeedbackKind } from '../../db/tables/cards.ts'

/** Owners with feedback that they were not told of, in the order of their ids, after `after`. */
export async function ownersToTell(db: Db, after: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('card_feedback')
    .innerJoin('cards', 'cards.card_id', 'card_feedback.card_id')
    .select('cards.owner_id')
    .distinct()
    .where('card_feedback.told_at', 'is', null)
    .where('cards.owner_id', '>', after)
    .orderBy('cards.owner_id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.owner_id)
}

export type Untold = {
  card_id: string
  title: string
  kind: FeedbackKind
  people: number
  first_at: string
  last_at: string
}

/** Feedback that the owner was not told of, by card and kind; the cards with the most of it first. */
export async function untoldOf(db: Db, ownerId: string): Promise<Untold[]> {
  return db
    .selectFrom('card_feedback')
    .innerJoin('cards', 'cards.card_id', 'card_feedback.card_id')
    .select((eb) => [
      'cards.card_id',
      'cards.title',
      'card_feedback.kind',
      eb.fn.countAll<number>().as('people'),
      eb.fn.min('card_feedback.created_at').as('first_at'),
      eb.fn.max('card_feedback.created_at').as('last_at'),
    ])
    .where('card_feedback.told_at', 'is', null)
    .where('cards.owner_id', '=', ownerId)
    .where('card_feedback.withdrawn_at', 'is', null)
    .where('cards.deleted_at', 'is', null)
    .groupBy(['cards.card_id', 'cards.title', 'card_feedback.kind'])
    .orderBy('people', 'desc')
    .orderBy('cards.card_id')
    .orderBy('card_feedback.kind')
    .execute()
}

export async function markTold(db: Db, ownerId: string, now: string): Promise<void> {
  await db
    .updateTable('card_feedback')
    .set({ told_at: now })
    .where('told_at', 'is', null)
    .where('card_id', 'in', (eb) =>
      eb.selectFrom('cards').select('cards.card_id').where('cards.owner_id', '=', ownerId),
    )
    .execute()
}
