import type { UserCtx } from '../../core/context.ts'
import { holdLock } from '../../db/locks.ts'
import { holdAnyCard } from './hold-card.ts'

/**
 * The search for duplicates reads what every card write changes. On PostgreSQL a serialisable transaction would therefore
 * be tried again and again. Publishing uses read committed there and locks what it relies on: other publishing, so that
 * two equal cards cannot pass at the same time; the card; the caller's role in the target and the target's visibility.
 * A deleted card comes back in the same way. Its target is the workspace that it is in.
 */
export async function holdForPublishing(ctx: UserCtx, cardId: string, target?: string): Promise<void> {
  const { db, database, viewer } = ctx
  if (database.engine !== 'postgres') return
  await holdLock(db, database.engine, 'publishing')
  const home = await holdAnyCard(ctx, cardId)
  const targetId = target ?? home
  if (targetId === undefined) return
  await db
    .selectFrom('workspaces')
    .select('workspace_id')
    .where('workspace_id', '=', targetId)
    .forShare()
    .execute()
  await db
    .selectFrom('memberships')
    .select('role')
    .where('workspace_id', '=', targetId)
    .where('user_id', '=', viewer.userId)
    .forShare()
    .execute()
}
