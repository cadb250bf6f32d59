import { sql } from 'kysely'
import type { Db } from '../../db/db.ts'
import type { MembershipsTable, Role, WorkspacesTable } from '../../db/tables/workspaces.ts'

export async function insertWorkspace(db: Db, row: WorkspacesTable): Promise<void> {
  await db.insertInto('workspaces').values(row).execute()
}

/**
 * The first member of a new workspace. A plain insert, because everybody who registers comes here: on a cluster, one that
 * looks for conflicts would lock the accounts and workspaces of all, and those who register at once would wait in a circle.
 */
export async function insertFounder(db: Db, row: MembershipsTable): Promise<void> {
  await db.insertInto('memberships').values(row).execute()
}

/** A second one at the same time causes a serialisation failure; the retry then finds the first. */
export async function insertMembership(db: Db, row: MembershipsTable): Promise<void> {
  await db
    .insertInto('memberships')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function updateWorkspace(
  db: Db,
  workspaceId: string,
  change: Partial<WorkspacesTable>,
): Promise<void> {
  await db.updateTable('workspaces').set(change).where('workspace_id', '=', workspaceId).execute()
}

export type WorkspaceRow = WorkspacesTable & { role: Role | null; member_count: number }

/** Workspaces with the role of `userId` in them. */
const workspacesFor = (db: Db, userId: string) =>
  db
    .selectFrom('workspaces')
    .leftJoin('memberships as mine', (join) =>
      join.onRef('mine.workspace_id', '=', 'workspaces.workspace_id').on('mine.user_id', '=', userId),
    )

const memberCount = sql<number>`(select count(*) from memberships as m
  where m.workspace_id = workspaces.workspace_id)`

export function findWorkspace(db: Db, userId: string, workspaceId: string): Promise<WorkspaceRow> {
  return workspacesFor(db, userId)
    .selectAll('workspaces')
    .select(['mine.role', memberCount.as('member_count')])
    .where('workspaces.workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
}

export type ListOptions = { includePublic: boolean; limit: number; offset: number }

/** The user's own first, then public ones; newest first in both. */
export async function listWorkspacesOf(
  db: Db,
  userId: string,
  { includePublic, limit, offset }: ListOptions,
): Promise<{ rows: WorkspaceRow[]; total: number }> {
  const listed = workspacesFor(db, userId).where((eb) =>
    eb.or([
      eb('mine.role', 'is not', null),
      ...(includePublic ? [eb('workspaces.visibility', '=', 'public')] : []),
    ]),
  )
  const { total } = await listed
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await listed
    .selectAll('workspaces')
    .select(['mine.role', memberCount.as('member_count')])
    .orderBy(sql`case when mine.role is null then 1 else 0 end`)
    .orderBy('workspaces.created_at', 'desc')
    .orderBy('workspaces.workspace_id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows, total }
}

export async function workspaceName(db: Db, workspaceId: string): Promise<string> {
  const row = await db
    .selectFrom('workspaces')
    .select('name')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return row.name
}
