import type { Ctx, UserCtx } from '../../core/context.ts'
import { forbidden, notFound } from '../../core/errors.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/public-library.ts'
import type { Role, WorkspacesTable } from '../../db/tables/workspaces.ts'

const RANK: Record<Role, number> = { viewer: 1, editor: 2, admin: 3 }

export const hasRole = (role: Role | null | undefined, minimum: Role): boolean =>
  role != null && RANK[role] >= RANK[minimum]

/** The viewer's role in a workspace, or undefined for somebody who is not a member. */
export const roleIn = (ctx: UserCtx, workspaceId: string): Promise<Role | undefined> =>
  roleOf(ctx, workspaceId, ctx.viewer.userId)

/** The role of anybody in a workspace. */
export async function roleOf(ctx: Ctx, workspaceId: string, userId: string): Promise<Role | undefined> {
  const row = await ctx.db
    .selectFrom('memberships')
    .select('role')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.role
}

/** A private workspace tells its name, and who is in it, to its members alone. `role` is null for everybody else. */
export const mayKnowOf = (visibility: WorkspacesTable['visibility'] | null, role: Role | null): boolean =>
  role !== null || visibility !== 'private'

export type Access = { workspace: WorkspacesTable; role: Role | null }

/** A workspace that the viewer may know of: its members always, everybody else unless it is private. */
export async function requireVisible(ctx: UserCtx, workspaceId: string): Promise<Access> {
  const row = await ctx.db
    .selectFrom('workspaces')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.workspace_id', '=', 'workspaces.workspace_id')
        .on('memberships.user_id', '=', ctx.viewer.userId),
    )
    .selectAll('workspaces')
    .select('memberships.role')
    .where('workspaces.workspace_id', '=', workspaceId)
    .where((eb) =>
      eb.or([eb('memberships.role', 'is not', null), eb('workspaces.visibility', '!=', 'private')]),
    )
    .executeTakeFirst()
  if (!row) throw notFound('Workspace')
  const { role, ...workspace } = row
  return { workspace, role }
}

/** The workspace, for a viewer with at least this role in it. Otherwise 404 if they may not know of it, else 403. */
export async function requireRole(
  ctx: UserCtx,
  workspaceId: string,
  minimum: Role,
): Promise<{ workspace: WorkspacesTable; role: Role }> {
  const { workspace, role } = await requireVisible(ctx, workspaceId)
  if (role === null || !hasRole(role, minimum))
    throw forbidden(
      minimum === 'viewer'
        ? 'This is for members of the workspace.'
        : `This needs the role ${minimum}${minimum === 'editor' ? ' or admin' : ''} in the workspace.`,
    )
  return { workspace, role }
}

/** Where a viewer wants to publish. The library needs no role; every other workspace needs an editor or admin. */
export const publishingTarget = async (ctx: UserCtx, workspaceId: string): Promise<WorkspacesTable> => {
  const { workspace } =
    workspaceId === PUBLIC_LIBRARY_ID
      ? await requireVisible(ctx, workspaceId)
      : await requireRole(ctx, workspaceId, 'editor')
  return workspace
}
