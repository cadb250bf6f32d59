import type { UserCtx } from '../../core/context.ts'
import { findStanding, markReturnedPraise } from './trust.store.ts'

/** What the viewer is to the owner of a card, and which of that owner's cards it is that they judge. */
export const standingOf = (ctx: UserCtx, cardId: string) => findStanding(ctx.db, cardId, ctx.viewer.userId)

/** Cards of the viewer that the owner has praised weigh less from now on; a job computes them anew. */
export const notePraise = (ctx: UserCtx, ownerId: string) =>
  markReturnedPraise(ctx.db, ctx.viewer.userId, ownerId)
