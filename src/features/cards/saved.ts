import type { UserCtx } from '../../core/context.ts'
import { readableCard } from './access.ts'
import { contentOf } from './content.ts'
import { indexCard } from './indexing/index-card.ts'
import { presentCard } from './present.ts'
import type { CardAnswer } from './schemas.ts'

/** The end of every write: the index gets the card as it is now, in the same transaction, and so does the caller. */
export async function saved(ctx: UserCtx, cardId: string): Promise<CardAnswer> {
  const row = await readableCard(ctx, cardId)
  const { card_id, workspace_id, owner_id, status, review_status } = row
  await indexCard(ctx, { card_id, workspace_id, owner_id, status, review_status, ...contentOf(row) })
  return presentCard(row)
}
