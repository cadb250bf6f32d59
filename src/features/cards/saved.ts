import type { UserCtx } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import { type CardRow, readableCard } from './access.ts'
import { homeOfNew } from './homes.ts'
import { type CardWords, indexCards, refilterCards } from './indexing/index-card.ts'
import { indexedCards } from './indexing/indexable-cards.ts'
import { presentCard } from './present.ts'
import type { CardAnswer } from './schemas.ts'
import type { StoredCard } from './select.ts'

/**
 * Ends a write of a card's texts: puts the card into the index in the same transaction and returns it as it is now. `words`
 * are those that were counted before the transaction.
 */
export async function saved(ctx: UserCtx, cardId: string, words?: CardWords): Promise<CardAnswer> {
  return indexed(ctx, await readableCard(ctx, cardId), words)
}

/** The same for a write that leaves the texts of the card as they are. */
export async function savedState(ctx: UserCtx, cardId: string): Promise<CardAnswer> {
  const row = await readableCard(ctx, cardId)
  await refilterCards(ctx, [row], { publicWorkspaces: publicOf(row) })
  return presentCard(row, ctx.now())
}

/** The same as `saved` for a card that was just inserted: its owner sees what was stored, and where it lives. */
export async function savedNew(
  ctx: UserCtx,
  stored: StoredCard,
  ownerName: string,
  words?: CardWords,
): Promise<CardAnswer> {
  const home = await homeOfNew(ctx.db, ctx.viewer.userId, stored.workspace_id)
  if (!home) throw notFound('Workspace')
  const row: CardRow = {
    ...stored,
    ...home,
    owner_name: ownerName,
    owner_deleted_at: null,
    whose: stored.origin === null ? 'you' : 'public',
    may_update: 1,
    may_delete: 1,
  }
  return indexed(ctx, row, words)
}

const publicOf = (row: CardRow): Set<string> =>
  new Set(row.workspace_visibility === 'public' ? [row.workspace_id] : [])

const LEFT_OUT =
  'This card has more different words than search keeps. Search does not find some words of its root cause, steps, environment, body, notes or evidence; the text filter of lists does. Split the card to make all of it searchable.'

async function indexed(ctx: UserCtx, row: CardRow, words: CardWords | undefined): Promise<CardAnswer> {
  const partial = await indexCards(ctx, await indexedCards(ctx.db, [row]), {
    publicWorkspaces: publicOf(row),
    counted: new Map(words ? [[row.card_id, words]] : []),
  })
  return { ...presentCard(row, ctx.now()), ...(partial.size > 0 ? { search_note: LEFT_OUT } : {}) }
}
