import type { Ctx } from '../../core/context.ts'
import { type Named, prepared } from '../../db/prepared.ts'
import { documentOf, type IndexedCard } from './document.ts'
import { addToIndex, takeFromIndex } from './index.store.ts'
import type { Candidate } from './packing.ts'
import { noteChange } from './vocabulary.ts'

export type { IndexedCard } from './document.ts'

/**
 * Puts a card into the index as it is now, in place of what was there. Call it in the transaction of every write that
 * changes the card's text, tags, environment, type, owner, workspace or status: the next request then finds it so.
 */
export async function indexCard(ctx: Ctx, card: IndexedCard): Promise<void> {
  requireTransaction(ctx)
  const document = documentOf(card, await isPublic(ctx, card.workspace_id))
  // A new card is not looked for first: on PostgreSQL that look would tie all writers of new cards together.
  let before: Candidate | undefined
  if (!(await addToIndex(ctx, card.card_id, document))) {
    before = await takeFromIndex(ctx, card.card_id)
    await addToIndex(ctx, card.card_id, document)
  }
  await noteChange(ctx, before, document)
}

const visibilityOf = prepared((db, parameter: Named<{ workspaceId: string }>) =>
  db.selectFrom('workspaces').select('visibility').where('workspace_id', '=', parameter('workspaceId')),
)

async function isPublic(ctx: Ctx, workspaceId: string): Promise<boolean> {
  const [place] = await visibilityOf(ctx.db, { workspaceId })
  return place?.visibility === 'public'
}

/** Takes a card out of the index, in the transaction that deletes it. */
export async function unindexCard(ctx: Ctx, cardId: string): Promise<void> {
  requireTransaction(ctx)
  const before = await takeFromIndex(ctx, cardId)
  if (before) await noteChange(ctx, before, undefined)
}

function requireTransaction(ctx: Ctx): void {
  if (!ctx.transacting) throw new Error('The index is written in the transaction of the card')
}
