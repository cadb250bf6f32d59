import type { Ctx } from '../../../core/context.ts'
import { type Named, prepared } from '../../../db/prepared.ts'
import { putDocuments, removeDocuments } from '../../../search-index/index.ts'
import { documentOf, type IndexedCard } from './document.ts'

export type { IndexedCard } from './document.ts'

/**
 * Puts cards into the index as they are now. Call it in the transaction of every write that changes a card's text, tags,
 * environment, type, owner, workspace or status. `known` are the public ones of their workspaces, if the caller has
 * read that in this transaction.
 */
export async function indexCards(
  ctx: Ctx,
  cards: readonly IndexedCard[],
  known?: ReadonlySet<string>,
): Promise<void> {
  const isPublic = known ?? (await publicWorkspaces(ctx, new Set(cards.map((card) => card.workspace_id))))
  await putDocuments(
    ctx,
    cards.map((card) => ({
      documentId: card.card_id,
      document: ctx.work.measure(() => documentOf(card, isPublic.has(card.workspace_id))),
    })),
  )
}

const visibilityOf = prepared((db, parameter: Named<{ workspaceId: string }>) =>
  db.selectFrom('workspaces').select('visibility').where('workspace_id', '=', parameter('workspaceId')),
)

async function publicWorkspaces(ctx: Ctx, workspaceIds: ReadonlySet<string>): Promise<Set<string>> {
  const found = new Set<string>()
  for (const workspaceId of workspaceIds) {
    const [workspace] = await visibilityOf(ctx.db, { workspaceId })
    if (workspace?.visibility === 'public') found.add(workspaceId)
  }
  return found
}

export const unindexCard = (ctx: Ctx, cardId: string): Promise<void> => removeDocuments(ctx, [cardId])
