import type { UserCtx } from '../../core/context.ts'
import type { Db } from '../../db/db.ts'
import type { CardVerdictsTable } from '../../db/tables/verdicts.ts'
import { stands } from '../trust/standing-verdicts.ts'

/**
 * Serialises the verdicts of a person, so that a repeated one is recognised and the limit of rewards holds. The person's key
 * stays free: feedback refers to it while it holds balances that a verdict waits for. SQLite has one writer at a time anyway.
 */
export async function holdJudge({ db, database, viewer }: UserCtx): Promise<void> {
  if (database.engine === 'postgres')
    await db
      .selectFrom('users')
      .select('user_id')
      .where('user_id', '=', viewer.userId)
      .forNoKeyUpdate()
      .execute()
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

/** How many verdicts the person has given on the card since then; withdrawn ones too. */
export async function countVerdicts(db: Db, cardId: string, userId: string, since: string): Promise<number> {
  const { verdicts } = await db
    .selectFrom('card_verdicts')
    .select((eb) => eb.fn.countAll<number>().as('verdicts'))
    .where('card_id', '=', cardId)
    .where('user_id', '=', userId)
    .where('created_at', '>=', since)
    .executeTakeFirstOrThrow()
  return verdicts
}

export async function insertVerdict(db: Db, row: CardVerdictsTable): Promise<void> {
  await db.insertInto('card_verdicts').values(row).execute()
}

/** When the workspace was last opened to others than its members. */
export async function openingOf(db: Db, workspaceId: string): Promise<string | null> {
  const row = await db
    .selectFrom('workspaces')
    .select('opened_at')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  return row?.opened_at ?? null
}

/** A card whose verdicts are shown, if they are not older than any of these times. */
export type VerdictSource = { card_id: string; since: readonly string[] }

/** For a reader, who always sees their own: the last verdict of each person on each of the cards in each environment, unless it was withdrawn. */
export const verdictsShown = (db: Db, readerId: string, cards: readonly VerdictSource[]) =>
  db
    .selectFrom('card_verdicts')
    .where((eb) =>
      eb.or(
        cards.map(({ card_id, since }) =>
          eb.and([
            eb('card_verdicts.card_id', '=', card_id),
            eb.or([
              eb('card_verdicts.user_id', '=', readerId),
              eb.and(since.map((time) => eb('card_verdicts.created_at', '>=', time))),
            ]),
          ]),
        ),
      ),
    )
    .where(stands)
