import type { Ctx } from '../../core/context.ts'
import { emit } from '../../core/events.ts'
import type { Db } from '../../db/db.ts'
import type { FeedbackKind } from '../../db/tables/cards.ts'
import { isAmongTexts, textList } from '../../db/text-list.ts'

/** Counted from the rows each time, so that the counts on the card cannot drift. */
export async function recountFeedback(db: Db, cardId: string): Promise<void> {
  const count = (kind: FeedbackKind) =>
    db
      .selectFrom('card_feedback')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where((eb) =>
        eb.or([
          eb('card_id', '=', cardId),
          // Feedback on a card that was merged into this one counts here.
          eb(
            'card_id',
            'in',
            eb.selectFrom('card_merges').select('from_card_id').where('into_card_id', '=', cardId),
          ),
        ]),
      )
      .where('kind', '=', kind)
      .where('withdrawn_at', 'is', null)
  await db
    .updateTable('cards')
    .set({
      feedback_useful: count('useful'),
      feedback_not_applicable: count('not_applicable'),
      feedback_outdated: count('outdated'),
    })
    .where('card_id', '=', cardId)
    .execute()
}

/**
 * Around the removal of cards for good. What was said of one that was merged into another counted there, and goes with it.
 * The marks for trust come first: they are the first of all locks.
 */
export async function recountAfter(
  ctx: Ctx,
  removed: readonly string[],
  remove: () => Promise<void>,
): Promise<void> {
  const takers = await ctx.db
    .selectFrom('card_merges')
    .select('into_card_id')
    .distinct()
    .where(isAmongTexts(ctx.db, 'from_card_id', textList(removed)))
    .orderBy('into_card_id')
    .execute()
  await emit(ctx, 'card.judgements_removed', { cardIds: takers.map((taker) => taker.into_card_id) })
  await remove()
  for (const { into_card_id } of takers) await recountFeedback(ctx.db, into_card_id)
}
