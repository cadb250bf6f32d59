import type { UserCtx } from '../../core/context.ts'
import { fromJson, toJson } from '../../db/columns.ts'
import { type Db, isSqlite } from '../../db/db.ts'
import type { Role } from '../../db/tables/workspaces.ts'
import type { Settings } from '../identity/users/user-settings.ts'
import { forgetMissedSearches } from '../missed-searches/missed-searches.ts'

/**
 * On PostgreSQL everything that puts a row into a workspace locks the workspace's own row by its foreign key. Locking that
 * row means that earlier writers have finished and are seen; later ones wait and then find no membership.
 * The cards are locked before it, as their changes do.
 */
export async function holdWorkspace({ db, database, viewer }: UserCtx, workspaceId: string): Promise<void> {
  if (database.engine !== 'postgres') return
  await db
    .selectFrom('workspaces')
    .select('workspace_id')
    .where('workspace_id', '=', workspaceId)
    .forUpdate()
    .execute()
  // The caller's role must not change until the end.
  await db
    .selectFrom('memberships')
    .select('role')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', viewer.userId)
    .forUpdate()
    .execute()
}

export async function countMembers(db: Db, workspaceId: string): Promise<number> {
  const { members } = await db
    .selectFrom('memberships')
    .select(({ fn }) => fn.countAll<number>().as('members'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return members
}

/**
 * Members may have chosen it as the home of their new cards. They go back to the personal workspace. Their rows are locked
 * before they are read, so that nothing is lost that they set meanwhile; in one order, as they may be members of another
 * team that is being deleted.
 */
async function forgetAsDefault({ db }: UserCtx, workspaceId: string): Promise<void> {
  const members = db
    .selectFrom('memberships')
    .select('memberships.user_id')
    .where('workspace_id', '=', workspaceId)
  const rows = await db
    .selectFrom('users')
    .select(['user_id', 'settings'])
    .where('user_id', 'in', members)
    .where('settings', 'like', `%${workspaceId}%`)
    .orderBy('user_id')
    .$if(!isSqlite(db), (query) => query.forNoKeyUpdate())
    .execute()
  for (const { user_id, settings } of rows)
    await db
      .updateTable('users')
      .set({ settings: toJson({ ...fromJson<Settings>(settings), default_workspace_id: null }) })
      .where('user_id', '=', user_id)
      .execute()
}

/** Private and without members, so no rule lets anybody in. The row stays for memory and the audit log. */
export async function closeWorkspace(ctx: UserCtx, workspaceId: string): Promise<void> {
  await forgetAsDefault(ctx, workspaceId)
  const now = ctx.now().toISOString()
  await ctx.db.deleteFrom('memberships').where('workspace_id', '=', workspaceId).execute()
  await forgetMissedSearches(ctx, workspaceId)
  await ctx.db
    .updateTable('workspaces')
    .set({ visibility: 'private', policy_json: null, updated_at: now, deleted_at: now })
    .where('workspace_id', '=', workspaceId)
    .execute()
}

export type Person = { user_id: string; email: string; settings: string; role: Role | null }

/** Its members, and former members who own a card in it; without `exceptId` and without deleted accounts. */
export async function peopleOf(db: Db, workspaceId: string, exceptId: string): Promise<Person[]> {
  const rows = await db
    .selectFrom('users')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.user_id', '=', 'users.user_id')
        .on('memberships.workspace_id', '=', workspaceId),
    )
    .select(['users.user_id', 'users.email', 'users.settings', 'memberships.role'])
    .where('users.deleted_at', 'is', null)
    .where('users.user_id', '!=', exceptId)
    .where((eb) =>
      eb.or([
        eb('memberships.role', 'is not', null),
        eb(
          'users.user_id',
          'in',
          eb
            .selectFrom('cards')
            .select('cards.owner_id')
            .where('cards.workspace_id', '=', workspaceId)
            .where('cards.deleted_at', 'is', null),
        ),
      ]),
    )
    .execute()
  return rows.flatMap(({ email, ...row }) => (email === null ? [] : [{ ...row, email }]))
}
