import type { UserCtx } from '../../core/context.ts'
import { cardsPraisedBy, findStanding } from './trust.store.ts'

/** The relation of the viewer to the owner of a card, and how many of the owner's cards they have judged. */
export const standingOf = (ctx: UserCtx, cardId: string) => findStanding(ctx.db, cardId, ctx.viewer.userId)

/** The owner's praise for these cards of the viewer weighs less once the viewer praises one of the owner's. */
export const praiseReturned = (ctx: UserCtx, ownerId: string): Promise<string[]> =>
  cardsPraisedBy(ctx.db, ownerId, ctx.viewer.userId)
