import type { Ctx } from '../../../core/context.ts'
import { type Named, prepared } from '../../../db/prepared.ts'
import { addToIndex, takeFromIndex } from '../../../search-index/index.store.ts'
import { noteChange } from '../../../search-index/vocabulary.ts'
import { documentOf, type IndexedCard } from './document.ts'

export type { IndexedCard } from './document.ts'

/**
 * Puts cards into the index as they are now, in place of what was there. Call it in the transaction of every write that
 * changes a card's text, tags, environment, type, owner, workspace or status: the next request then finds it so.
 */
export async function indexCards(ctx: Ctx, cards: readonly IndexedCard[]): Promise<void> {
  requireTransaction(ctx)
  const isPublic = await publicPlaces(ctx, new Set(cards.map((card) => card.workspace_id)))
  const entries = cards.map((card) => ({
    cardId: card.card_id,
    document: documentOf(card, isPublic.has(card.workspace_id)),
  }))
  // New cards are not looked for first: on PostgreSQL that look would tie all writers of new cards together.
  const known = await addToIndex(ctx, entries)
  const before = await takeFromIndex(
    ctx,
    known.map(({ cardId }) => cardId),
  )
  if (known.length > 0) await addToIndex(ctx, known)
  await noteChange(
    ctx,
    before,
    entries.map(({ document }) => document),
  )
}

export const indexCard = (ctx: Ctx, card: IndexedCard): Promise<void> => indexCards(ctx, [card])

const visibilityOf = prepared((db, parameter: Named<{ workspaceId: string }>) =>
  db.selectFrom('workspaces').select('visibility').where('workspace_id', '=', parameter('workspaceId')),
)

async function publicPlaces(ctx: Ctx, workspaceIds: ReadonlySet<string>): Promise<Set<string>> {
  const found = new Set<string>()
  for (const workspaceId of workspaceIds) {
    const [place] = await visibilityOf(ctx.db, { workspaceId })
    if (place?.visibility === 'public') found.add(workspaceId)
  }
  return found
}

/** Takes a card out of the index, in the transaction that deletes it. */
export async function unindexCard(ctx: Ctx, cardId: string): Promise<void> {
  requireTransaction(ctx)
  const before = await takeFromIndex(ctx, [cardId])
  if (before.length > 0) await noteChange(ctx, before, [])
}

function requireTransaction(ctx: Ctx): void {
  if (!ctx.transacting) throw new Error('The index is written in the transaction of the card')
}
