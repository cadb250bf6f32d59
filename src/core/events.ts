/** Things that happen to the nouns of the product. Each is emitted once, in the transaction that does it. */
export type Events = {
  /** Readers of a workspace can read the card from now on, whatever way it came there. */
  'card.published': {
    cardId: string
    way: 'published' | 'shared' | 'pulled'
    workspaceId: string
    fromWorkspaceId: string
    licence: string | null
    isJudged: boolean
  }
  'card.unpublished': { cardId: string; workspaceId: string; isJudged: boolean }
  'card.moved': { cardId: string; fromWorkspaceId: string; workspaceId: string; isJudged: boolean }
  /** A new version of the card was made. */
  'card.updated': { cardId: string; fields: readonly string[]; isJudged: boolean }
  'card.deleted': { cardId: string; workspaceId: string }
  'card.undeleted': { cardId: string; workspaceId: string }
  'card.image_deleted': { cardId: string; workspaceId: string; imageId: string }
  /** Merged cards are about to be deleted, whose judgements counted on these cards. */
  'card.judgements_removed': { cardIds: readonly string[] }
  /** An admin has deleted the comment of somebody else. */
  'comment.deleted_by_admin': { cardId: string; workspaceId: string; commentId: string; authorId: string }
  'material.deleted': { materialId: string; workspaceId: string; ownerId: string }
  /** An answer shows these cards to the viewer. */
  'cards.shown': { cards: readonly { card_id: string; owner_id?: string }[] }
  /** A search was answered; `hits` counts the cards that surely fit. */
  'search.answered': { query: string; scope: string; workspaceIds: readonly string[]; hits: number }
}
export type EventName = keyof Events

/** Functions that run for an event, in the order of the list. `C` is the context of the caller. */
export type Subscribers<C> = {
  readonly [E in EventName]?: readonly ((ctx: C, event: Events[E]) => Promise<void> | void)[]
}

/** Puts the subscribers of several features into one list, in this order. */
export function mergeSubscribers<C>(...lists: readonly Subscribers<C>[]): Subscribers<C> {
  const merged: Record<string, readonly unknown[]> = {}
  for (const list of lists)
    for (const [name, some] of Object.entries(list)) merged[name] = [...(merged[name] ?? []), ...some]
  return merged
}

/** Runs the subscribers of an event one after another, inside the caller's transaction. */
export async function emit<C, E extends EventName>(
  ctx: C & { subscribers: Subscribers<C> },
  name: E,
  event: Events[E],
): Promise<void> {
  for (const run of ctx.subscribers[name] ?? []) await run(ctx, event)
}
