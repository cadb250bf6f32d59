import type { Ctx } from '../../../core/context.ts'
import { type Named, prepared } from '../../../db/prepared.ts'
import { putDocuments, refilterDocuments, removeDocuments } from '../../../search-index/index.ts'
import { filterTextOf } from '../content.ts'
import { type CardWords, filtersOf, type IndexedCard, isUpToDate, wordsOfCard } from './document.ts'
import { type IndexedRow, indexedCards, withoutEvidence } from './indexable-cards.ts'

export type { CardWords, IndexedCard } from './document.ts'

export type IndexOptions = {
  /** The public ones of the cards' workspaces, if the caller has read that in this transaction. */
  publicWorkspaces?: ReadonlySet<string>
  /** Words that were counted before the transaction; they are counted again where the card has changed since. */
  counted?: ReadonlyMap<string, CardWords>
}

/**
 * Puts cards into the index as they are now. Call it in the transaction of every write that changes a card's text, tags or
 * environment. Returns the ids of those with words that were left out.
 */
export async function indexCards(
  ctx: Ctx,
  cards: readonly IndexedCard[],
  { publicWorkspaces, counted }: IndexOptions = {},
): Promise<Set<string>> {
  const isPublic = publicWorkspaces ?? (await publicAmong(ctx, cards))
  const partial = new Set<string>()
  const entries = []
  for (const card of cards) {
    const known = counted?.get(card.card_id)
    const words = known && isUpToDate(known, card) ? known : await wordsOfCard(card, ctx.work)
    const filters = filtersOf(card, isPublic.has(card.workspace_id))
    entries.push({ documentId: card.card_id, document: { ...words, filters } })
    if (words.unread === '') continue
    partial.add(card.card_id)
    await keepFilterText(ctx, card, words.unread)
  }
  await putDocuments(ctx, entries)
  return partial
}

/** Words that search does not find are found by the text filter of lists. */
async function keepFilterText(ctx: Ctx, card: IndexedCard, unread: string): Promise<void> {
  await ctx.db
    .updateTable('cards')
    .set({ filter_text: filterTextOf(card, unread) })
    .where('card_id', '=', card.card_id)
    .execute()
}

/** The same for a write that changes the owner, type, workspace or status of cards, and no text. */
export async function refilterCards(
  ctx: Ctx,
  rows: readonly IndexedRow[],
  { publicWorkspaces }: Pick<IndexOptions, 'publicWorkspaces'> = {},
): Promise<void> {
  const isPublic = publicWorkspaces ?? (await publicAmong(ctx, rows))
  const filters = new Map(
    rows.map((row) => [row.card_id, filtersOf(withoutEvidence(row), isPublic.has(row.workspace_id))]),
  )
  const known = await refilterDocuments(ctx, filters)
  const lacking = rows.filter((row) => !known.has(row.card_id))
  if (lacking.length > 0)
    await indexCards(ctx, await indexedCards(ctx.db, lacking), { publicWorkspaces: isPublic })
}

const visibilityOf = prepared((db, parameter: Named<{ workspaceId: string }>) =>
  db.selectFrom('workspaces').select('visibility').where('workspace_id', '=', parameter('workspaceId')),
)

async function publicAmong(ctx: Ctx, cards: readonly { workspace_id: string }[]): Promise<Set<string>> {
  const found = new Set<string>()
  for (const workspaceId of new Set(cards.map((card) => card.workspace_id))) {
    const [workspace] = await visibilityOf(ctx.db, { workspaceId })
    if (workspace?.visibility === 'public') found.add(workspaceId)
  }
  return found
}

export const unindexCard = (ctx: Ctx, cardId: string): Promise<void> => removeDocuments(ctx, [cardId])
