/** Things that happen to the nouns of the product. Each is emitted once, in the transaction that does it. */
export type Events = {
  /** Other people can read the card than before: it was shared, published, withdrawn or moved. */
  'card.audience_changed': { cardId: string; isJudged: boolean }
  /** The fix or a step of the card is another one. */
  'card.fix_changed': { cardId: string; isJudged: boolean }
  /** Merged cards are about to be deleted, whose judgements counted on these cards. */
  'card.judgements_removed': { cardIds: readonly string[] }
}
type EventName = keyof Events

/** Functions that run for an event, in the order of the list. `C` is the context of the caller. */
export type Subscribers<C> = {
  readonly [E in EventName]?: readonly ((ctx: C, event: Events[E]) => Promise<void>)[]
}

/** Runs the subscribers of an event one after another, inside the caller's transaction. */
export async function emit<C, E extends EventName>(
  ctx: C & { subscribers: Subscribers<C> },
  name: E,
  event: Events[E],
): Promise<void> {
  for (const run of ctx.subscribers[name] ?? []) await run(ctx, event)
}
