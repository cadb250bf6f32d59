import type { Db } from '../../db/db.ts'
import type { CardFeedbackTable, FeedbackKind } from '../../db/tables/cards.ts'
import type { VerdictOutcome } from '../../db/tables/verdicts.ts'
import { countText, rowsOfCard } from '../storage/text-usage.ts'
import { stands } from '../trust/standing-verdicts.ts'

export function findFeedback(db: Db, cardId: string, userId: string): Promise<CardFeedbackTable | undefined> {
  return db
    .selectFrom('card_feedback')
    .selectAll()
    .where('card_id', '=', cardId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

export async function ownerOf(db: Db, cardId: string): Promise<string> {
  const { owner_id } = await db
    .selectFrom('cards')
    .select('owner_id')
    .where('card_id', '=', cardId)
    .executeTakeFirstOrThrow()
  return owner_id
}

/** What somebody else than the owner says of a card. */
export type SaidOf = {
  user_id: string
  said: FeedbackKind | Exclude<VerdictOutcome, 'withdrawn'>
  created_at: string
}

/** The last verdict after this time that stands. */
async function newestVerdict(db: Db, cardId: string, ownerId: string, since: string): Promise<SaidOf[]> {
  const rows = await db
    .selectFrom('card_verdicts')
    .select(['user_id', 'outcome', 'created_at'])
    .where('card_id', '=', cardId)
    .where('user_id', '!=', ownerId)
    .where('created_at', '>', since)
    .where(stands)
    .orderBy('created_at', 'desc')
    .limit(1)
    .execute()
  return rows.flatMap(({ outcome, ...row }) => (outcome === 'withdrawn' ? [] : [{ ...row, said: outcome }]))
}

/** The last feedback or verdict of others on a card after this time, unless it was taken back. */
export async function newestSaid(
  db: Db,
  { card_id, owner_id }: { card_id: string; owner_id: string },
  since: string,
): Promise<SaidOf | undefined> {
  const feedback = await db
    .selectFrom('card_feedback')
    .select(['user_id', 'kind as said', 'created_at'])
    .where('card_id', '=', card_id)
    .where('user_id', '!=', owner_id)
    .where('withdrawn_at', 'is', null)
    .where('created_at', '>', since)
    .orderBy('created_at', 'desc')
    .limit(1)
    .execute()
  const said: SaidOf[] = [...feedback, ...(await newestVerdict(db, card_id, owner_id, since))]
  return said.sort((a, b) => (a.created_at < b.created_at ? 1 : -1))[0]
}

/** Withdraws feedback and its comment, and names the cards that had it. The rows stay: they remember the reward. */
export async function withdraw(
  db: Db,
  cardIds: readonly string[],
  userId: string,
  now: string,
): Promise<string[]> {
  if (cardIds.length === 0) return []
  const given = cardIds.map((cardId) => rowsOfCard('card_feedback', cardId, 'user_id', userId))
  const update = db
    .updateTable('card_feedback')
    // Nothing of it is left to tell the owner of the card.
    .set((eb) => ({ withdrawn_at: now, comment: null, told_at: eb.fn.coalesce('told_at', eb.val(now)) }))
    .where('card_id', 'in', cardIds)
    .where('user_id', '=', userId)
    .where('withdrawn_at', 'is', null)
    .returning('card_id')
  const rows = await countText(db, given, () => update.execute())
  return rows.map((row) => row.card_id)
}

/** One feedback per person and card: a new one replaces the old. */
export async function putFeedback(db: Db, row: CardFeedbackTable): Promise<void> {
  await db
    .insertInto('card_feedback')
    .values(row)
    .onConflict((oc) =>
      oc.columns(['card_id', 'user_id']).doUpdateSet((eb) => ({
        kind: eb.ref('excluded.kind'),
        comment: eb.ref('excluded.comment'),
        rewarded_at: eb.ref('excluded.rewarded_at'),
        told_at: eb.ref('excluded.told_at'),
        created_at: eb.ref('excluded.created_at'),
        withdrawn_at: eb.ref('excluded.withdrawn_at'),
      })),
    )
    .execute()
}

/** By feedback and by verdicts: both draw on the same limit. */
export async function rewardsSince(db: Db, giverId: string, since: string): Promise<number> {
  const { rewards } = await db
    .selectFrom('card_feedback')
    .select((eb) => eb.fn.countAll<number>().as('rewards'))
    .where('user_id', '=', giverId)
    .where('rewarded_at', '>=', since)
    .executeTakeFirstOrThrow()
  const { more } = await db
    .selectFrom('card_verdicts')
    .select((eb) => eb.fn.countAll<number>().as('more'))
    .where('user_id', '=', giverId)
    .where('is_rewarded', '=', 1)
    .where('created_at', '>=', since)
    .executeTakeFirstOrThrow()
  return rewards + more
}

/** A card whose feedback is shown. People who may edit it see all of that; others see their own. */
export type FeedbackSource = {
  card_id: string
  mayEdit: boolean
  /** Earlier feedback was given in another workspace. Null if the reader may see all of it. */
  since: string | null
}

type FeedbackAsked = { userId: string; cards: readonly FeedbackSource[]; withComment: boolean }

export const feedbackShown = (db: Db, { userId, cards, withComment }: FeedbackAsked) =>
  db
    .selectFrom('card_feedback')
    .innerJoin('users', 'users.user_id', 'card_feedback.user_id')
    .where('card_feedback.withdrawn_at', 'is', null)
    .where((eb) =>
      eb.or(
        cards.map(({ card_id, mayEdit, since }) => {
          const isHere = eb('card_feedback.card_id', '=', card_id)
          if (mayEdit && since === null) return isHere
          const isMine = eb('card_feedback.user_id', '=', userId)
          if (!mayEdit || since === null) return eb.and([isHere, isMine])
          return eb.and([isHere, eb.or([isMine, eb('card_feedback.created_at', '>=', since)])])
        }),
      ),
    )
    .$if(withComment, (query) => query.where('card_feedback.comment', '!=', ''))
