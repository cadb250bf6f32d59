import type { UserCtx } from '../../core/context.ts'
import type { Role } from '../../db/tables/workspaces.ts'

/** The viewer's role in a workspace, or undefined for somebody who is not a member. */
export async function roleIn(ctx: UserCtx, workspaceId: string): Promise<Role | undefined> {
  const row = await ctx.db
    .selectFrom('memberships')
    .select('role')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', ctx.viewer.userId)
    .executeTakeFirst()
  return row?.role
}
