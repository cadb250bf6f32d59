import type { UserCtx } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import { type CardRow, readableCard } from './access.ts'
import { homeOfNew } from './homes.ts'
import { indexCards } from './indexing/index-card.ts'
import { indexedCards } from './indexing/indexable-cards.ts'
import { presentCard } from './present.ts'
import type { CardAnswer } from './schemas.ts'
import type { StoredCard } from './select.ts'

/** Ends every write: puts the card into the index in the same transaction and returns it as it is now. */
export async function saved(ctx: UserCtx, cardId: string): Promise<CardAnswer> {
  return indexed(ctx, await readableCard(ctx, cardId))
}

/** The same for a card that was just inserted: its owner sees what was stored, and where it lives. */
export async function savedNew(ctx: UserCtx, stored: StoredCard, ownerName: string): Promise<CardAnswer> {
  const home = await homeOfNew(ctx.db, ctx.viewer.userId, stored.workspace_id)
  if (!home) throw notFound('Workspace')
  return indexed(ctx, {
    ...stored,
    ...home,
    owner_name: ownerName,
    owner_deleted_at: null,
    whose: stored.origin === null ? 'you' : 'public',
    may_update: 1,
    may_delete: 1,
  })
}

async function indexed(ctx: UserCtx, row: CardRow): Promise<CardAnswer> {
  const open = row.workspace_visibility === 'public' ? [row.workspace_id] : []
  await indexCards(ctx, await indexedCards(ctx.db, [row]), new Set(open))
  return presentCard(row, ctx.now())
}
