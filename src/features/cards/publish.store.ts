import type { UserCtx } from '../../core/context.ts'
import { holdLock } from '../../db/locks.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/public-library.ts'
import { holdRowOf, holdVisibility } from './hold-card.ts'

/**
 * Whoever opens or closes a team marks the cards that its snapshot has (`changeWorkspace`). If it only waited for a lock here,
 * it would go on without the card that arrives; after an update of the row it runs again. The library is never opened or
 * closed. A cluster would lock all workspaces for the update, so there an entry may wait for the next change of its card.
 */
async function holdTarget(ctx: UserCtx, workspaceId: string): Promise<void> {
  if (workspaceId === PUBLIC_LIBRARY_ID || ctx.database.isDistributed) await holdVisibility(ctx, workspaceId)
  else
    await ctx.db
      .updateTable('workspaces')
      .set((eb) => ({ updated_at: eb.ref('updated_at') }))
      .where('workspace_id', '=', workspaceId)
      .execute()
}

/**
 * The search for duplicates reads what every card write changes. On PostgreSQL a serialisable transaction would therefore
 * be tried again and again. Publishing uses read committed there and locks what it relies on: other publishing, so that
 * two equal cards cannot pass at the same time; the card; who reads its workspace and the target; the caller's role there.
 * A deleted card comes back in the same way. Its target is the workspace that it is in.
 */
export async function holdForPublishing(ctx: UserCtx, cardId: string, target?: string): Promise<void> {
  const { db, database, viewer } = ctx
  if (database.engine !== 'postgres') return
  await holdLock(db, database.engine, 'publishing')
  const home = await holdRowOf(ctx, cardId)
  const targetId = target ?? home
  if (home !== undefined && home !== targetId) await holdVisibility(ctx, home)
  if (targetId === undefined) return
  await holdTarget(ctx, targetId)
  await db
    .selectFrom('memberships')
    .select('role')
    .where('workspace_id', '=', targetId)
    .where('user_id', '=', viewer.userId)
    .forShare()
    .execute()
}
