import type { UserCtx } from '../../core/context.ts'
import { deleteRecent } from './kept-searches.store.ts'

/** Switching the history off also deletes it. */
export async function forgetHistory(ctx: UserCtx): Promise<void> {
  await deleteRecent(ctx.db, ctx.viewer.userId)
}
