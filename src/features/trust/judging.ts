import type { UserCtx } from '../../core/context.ts'
import { findStanding, markReturnedPraise } from './trust.store.ts'

/** The relation of the viewer to the owner of a card, and how many of the owner's cards they have judged. */
export const standingOf = (ctx: UserCtx, cardId: string) => findStanding(ctx.db, cardId, ctx.viewer.userId)

/** The owner's praise for cards of the viewer weighs less from now on; a job computes their trust again. */
export const notePraise = (ctx: UserCtx, ownerId: string) =>
  markReturnedPraise(ctx.db, ctx.viewer.userId, ownerId)
