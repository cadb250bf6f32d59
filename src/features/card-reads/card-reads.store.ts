import { sql } from 'kysely'
import type { Db } from '../../db/db.ts'

export type Read = { user_id: string; card_id: string; last_at: string }

/** Cards that were removed meanwhile are left out by the join. */
export async function keepReads(db: Db, reads: readonly Read[]): Promise<void> {
  const there = await db
    .selectFrom('cards')
    .select('card_id')
    .where('card_id', 'in', [...new Set(reads.map((read) => read.card_id))])
    .execute()
  const known = new Set(there.map((row) => row.card_id))
  const rows = reads.filter((read) => known.has(read.card_id))
  if (rows.length === 0) return
  await db
    .insertInto('card_reads')
    .values(rows)
    .onConflict((oc) => oc.columns(['user_id', 'card_id']).doUpdateSet({ last_at: sql`excluded.last_at` }))
    .execute()
}

/** Cards of others that this person's agents were shown, and that are hidden now; not yet told in this project. */
export const withdrawnCards = (
  db: Db,
  { userId, projectKey, since, limit }: { userId: string; projectKey: string; since: string; limit: number },
) =>
  db
    .selectFrom('card_reads')
    .innerJoin('cards', 'cards.card_id', 'card_reads.card_id')
    .leftJoin('withdrawals_told', (join) =>
      join
        .onRef('withdrawals_told.card_id', '=', 'card_reads.card_id')
        .onRef('withdrawals_told.user_id', '=', 'card_reads.user_id')
        .on('withdrawals_told.project_key', '=', projectKey),
    )
    .select(['cards.card_id', 'cards.title', 'cards.workspace_id', 'cards.hidden_at'])
    .select((eb) =>
      eb
        .selectFrom('moderation_cases')
        .select('moderation_cases.reason')
        .whereRef('moderation_cases.card_id', '=', 'cards.card_id')
        .orderBy('moderation_cases.created_at', 'desc')
        .orderBy('moderation_cases.case_id', 'desc')
        .limit(1)
        .as('reason'),
    )
    .where('card_reads.user_id', '=', userId)
    .where('cards.owner_id', '!=', userId)
    .where('cards.hidden_at', '>=', since)
    .where('withdrawals_told.card_id', 'is', null)
    .orderBy('cards.hidden_at', 'desc')
    .orderBy('cards.card_id')
    .limit(limit)
    .execute()

export async function keepTold(
  db: Db,
  { userId, projectKey, now }: { userId: string; projectKey: string; now: string },
  cardIds: readonly string[],
): Promise<void> {
  await db
    .insertInto('withdrawals_told')
    .values(cardIds.map((card_id) => ({ user_id: userId, card_id, project_key: projectKey, told_at: now })))
    .onConflict((oc) => oc.doNothing())
    .execute()
}

/** Reads of a card that is hidden stay a while longer: somebody may not have been told. */
export async function dropReads(db: Db, before: string, hiddenBefore: string): Promise<void> {
  await db
    .deleteFrom('card_reads')
    .where('last_at', '<', before)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('cards')
            .select('cards.card_id')
            .whereRef('cards.card_id', '=', 'card_reads.card_id')
            .where('cards.hidden_at', '>=', hiddenBefore),
        ),
      ),
    )
    .execute()
  await db.deleteFrom('withdrawals_told').where('told_at', '<', hiddenBefore).execute()
}
