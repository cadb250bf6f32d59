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

/** More than an answer tells; those that are shown again since then are left out of them. */
const MOST_LOOKED_AT = 50

type Asked = { userId: string; projectKey: string; since: string; limit: number }

/** Few cards are hidden, and a person may have read many: the hidden ones come first. */
const hiddenAndRead = (db: Db, { userId, projectKey, since }: Asked) =>
  db
    .selectFrom('moderation_matters')
    .select(['moderation_matters.card_id', 'moderation_matters.reason'])
    .where(
      sql<boolean>`(moderation_matters.hidden_by_reports = 1 or moderation_matters.decision in ('hide', 'remove'))`,
    )
    .where('moderation_matters.updated_at', '>=', since)
    .where('moderation_matters.owner_id', '!=', userId)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('card_reads')
          .select('card_reads.card_id')
          .where('card_reads.user_id', '=', userId)
          .whereRef('card_reads.card_id', '=', 'moderation_matters.card_id'),
      ),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('withdrawals_told')
            .select('withdrawals_told.card_id')
            .where('withdrawals_told.user_id', '=', userId)
            .whereRef('withdrawals_told.card_id', '=', 'moderation_matters.card_id')
            .where('withdrawals_told.project_key', '=', projectKey),
        ),
      ),
    )
    .orderBy('moderation_matters.updated_at', 'desc')
    .orderBy('moderation_matters.matter_id')
    .limit(MOST_LOOKED_AT)
    .execute()

/** Cards of others that this person's agents were shown, and that are hidden now; not yet told in this project. */
export async function withdrawnCards(db: Db, asked: Asked) {
  const matters = await hiddenAndRead(db, asked)
  if (matters.length === 0) return []
  const reasons = new Map(matters.toReversed().map((row) => [row.card_id, row.reason]))
  const rows = await db
    .selectFrom('cards')
    .select(['card_id', 'title', 'workspace_id', 'hidden_at', 'edited_at'])
    .where('card_id', 'in', [...reasons.keys()])
    .where('hidden_at', 'is not', null)
    .orderBy('hidden_at', 'desc')
    .orderBy('card_id')
    .limit(asked.limit)
    .execute()
  return rows.map((row) => ({ ...row, reason: reasons.get(row.card_id) ?? null }))
}

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
