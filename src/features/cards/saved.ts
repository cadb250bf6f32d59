import type { UserCtx } from '../../core/context.ts'
import { readableCard } from './access.ts'
import { indexCards } from './indexing/index-card.ts'
import { indexedCards } from './indexing/indexable-cards.ts'
import { presentCard } from './present.ts'
import type { CardAnswer } from './schemas.ts'

/** The end of every write: the index gets the card as it is now, in the same transaction, and so does the caller. */
export async function saved(ctx: UserCtx, cardId: string): Promise<CardAnswer> {
  const row = await readableCard(ctx, cardId)
  await indexCards(ctx, await indexedCards(ctx.db, [row]))
  return presentCard(row, ctx.now())
}
