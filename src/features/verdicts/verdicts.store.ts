import type { UserCtx } from '../../core/context.ts'
import type { Db } from '../../db/db.ts'
import type { CardVerdictsTable } from '../../db/tables/verdicts.ts'

/**
 * Serialises the verdicts of a person, so that a repeated one is recognised and the limit of rewards holds. SQLite has one
 * writer at a time anyway.
 */
export async function holdJudge({ db, database, viewer }: UserCtx): Promise<void> {
  if (database.engine === 'postgres')
    await db.selectFrom('users').select('user_id').where('user_id', '=', viewer.userId).forUpdate().execute()
}

/** The present verdicts of this person on the card, by environment; withdrawn ones too. */
export async function standingVerdicts(
  db: Db,
  cardId: string,
  userId: string,
): Promise<Map<string, CardVerdictsTable>> {
  const rows = await db
    .selectFrom('card_verdicts')
    .selectAll()
    .where('card_id', '=', cardId)
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('verdict_id')
    .execute()
  return new Map(rows.map((row) => [row.environment_key, row]))
}

/** The card on which verdicts on this one count, and all cards that count there. */
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

export async function insertVerdict(db: Db, row: CardVerdictsTable): Promise<void> {
  await db.insertInto('card_verdicts').values(row).execute()
}

/** The last verdict of each person in each environment, unless it was withdrawn; from `since` on, if given. */
export const verdictsShown = (db: Db, cardId: string, since: string | null) =>
  db
    .selectFrom('card_verdicts')
    .$if(since !== null, (query) => query.where('card_verdicts.created_at', '>=', since))
    .innerJoin('users', 'users.user_id', 'card_verdicts.user_id')
    .where((eb) =>
      eb.or([
        eb('card_verdicts.card_id', '=', cardId),
        // Verdicts on a card that was merged into this one are shown here.
        eb(
          'card_verdicts.card_id',
          'in',
          eb.selectFrom('card_merges').select('from_card_id').where('into_card_id', '=', cardId),
        ),
      ]),
    )
    .where('card_verdicts.outcome', '<>', 'withdrawn')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('card_verdicts as later')
            .select('later.verdict_id')
            .whereRef('later.card_id', '=', 'card_verdicts.card_id')
            .whereRef('later.user_id', '=', 'card_verdicts.user_id')
            .whereRef('later.environment_key', '=', 'card_verdicts.environment_key')
            .whereRef('later.verdict_id', '>', 'card_verdicts.verdict_id'),
        ),
      ),
    )
