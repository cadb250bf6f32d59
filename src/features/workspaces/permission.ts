import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { UserCtx } from '../../core/context.ts'
import { forbidden, notFound } from '../../core/errors.ts'
import type { Role, WorkspacesTable } from '../../db/tables/workspaces.ts'

const RANK: Record<Role, number> = { viewer: 1, editor: 2, admin: 3 }

export const hasRole = (role: Role | null | undefined, minimum: Role): boolean =>
  role != null && RANK[role] >= RANK[minimum]

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

/** The workspace, for somebody with at least this role in it. 404 where they may not know of it, else 403. */
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

/** SQL: the viewer is a member of the workspace in `column`, with at least this role. */
export function memberOf(userId: string, column: string, minimum: Role = 'viewer'): RawBuilder<SqlBool> {
  const roles = (Object.keys(RANK) as Role[]).filter((role) => hasRole(role, minimum))
  return sql<SqlBool>`exists (select 1 from memberships as m
    where m.workspace_id = ${sql.ref(column)} and m.user_id = ${userId} and m.role in (${sql.join(roles)}))`
}

/** SQL: what is published in the workspace in `column` is open to everybody signed in. */
const openWorkspace = (column: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`exists (select 1 from workspaces as w
    where w.workspace_id = ${sql.ref(column)} and w.visibility in ('public', 'unlisted'))`

export type Shared = {
  /** Columns of the row that is asked for, such as `cards.owner_id`. */
  owner: string
  workspace: string
  status: string
}

/**
 * SQL: who may read something that is kept in a workspace and is `published` or not. Its owner always; editors
 * and admins of the workspace also before it is published; once published, members, and everybody signed in
 * where the workspace is public or unlisted.
 */
export const readableBy = (
  userId: string,
  { owner, workspace, status }: Shared,
): RawBuilder<SqlBool> => sql<SqlBool>`(
  ${sql.ref(owner)} = ${userId}
  or ${memberOf(userId, workspace, 'editor')}
  or (${sql.ref(status)} = 'published' and (${memberOf(userId, workspace)} or ${openWorkspace(workspace)}))
)`

/** SQL: the owner, or an editor or admin of the workspace it is in. */
export const editableBy = (
  userId: string,
  { owner, workspace }: Pick<Shared, 'owner' | 'workspace'>,
): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.ref(owner)} = ${userId} or ${memberOf(userId, workspace, 'editor')})`
