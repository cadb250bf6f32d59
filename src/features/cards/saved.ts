import type { UserCtx } from '../../core/context.ts'
import { readableCard } from './access.ts'
import { indexCards } from './indexing/index-card.ts'
import { indexedCards } from './indexing/indexable-cards.ts'
import { presentCard } from './present.ts'
import type { CardAnswer } from './schemas.ts'

/** Ends every write: puts the card into the index in the same transaction and returns it as it is now. */
export async function saved(ctx: UserCtx, cardId: string): Promise<CardAnswer> {
  const row = await readableCard(ctx, cardId)
  await indexCards(ctx, await indexedCards(ctx.db, [row]))
  return presentCard(row, ctx.now())
}
