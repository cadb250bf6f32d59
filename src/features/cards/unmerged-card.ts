import type { UserCtx } from '../../core/context.ts'
import { conflict } from '../../core/errors.ts'
import { type CardRow, editableCard, ownCard, requireVersion } from './access.ts'
import { answering } from './successor.ts'

/**
 * The id of a merged card answers with another one: the caller has not read the card that would change, and would not see
 * the change. `If-Match` comes second, since the caller may have the version of the other card.
 */
async function unmerged(ctx: UserCtx, find: (ctx: UserCtx) => Promise<CardRow>): Promise<CardRow> {
  const card = await find({ ...ctx, ifMatch: undefined })
  const { row, mergedFrom } = await answering(ctx, card)
  if (mergedFrom !== undefined)
    throw conflict(
      'merged_already',
      `This card was merged into ${row.card_id}. Use that one, or undo the merge first.`,
      { into_card_id: row.card_id },
    )
  requireVersion(ctx, card)
  return card
}

/** For changes of what a card says and of where it is read. */
export const editableUnmerged = (ctx: UserCtx, cardId: string): Promise<CardRow> =>
  unmerged(ctx, (ctx) => editableCard(ctx, cardId))

/** The same for what only its owner may do. */
export const ownUnmerged = (ctx: UserCtx, cardId: string, verb: string): Promise<CardRow> =>
  unmerged(ctx, (ctx) => ownCard(ctx, cardId, verb))
