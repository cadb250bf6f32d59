import type { UserCtx } from '../../core/context.ts'
import { deleteRecent } from './kept-searches.store.ts'

/** Whoever switches the history off wants it gone. */
export async function forgetHistory(ctx: UserCtx): Promise<void> {
  await deleteRecent(ctx.db, ctx.viewer.userId)
}
