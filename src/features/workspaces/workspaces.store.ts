import type { Db } from '../../db/db.ts'
import type { MembershipsTable, WorkspacesTable } from '../../db/tables/workspaces.ts'

export async function insertWorkspace(db: Db, row: WorkspacesTable): Promise<void> {
  await db.insertInto('workspaces').values(row).execute()
}

export async function insertMembership(db: Db, row: MembershipsTable): Promise<void> {
  await db.insertInto('memberships').values(row).execute()
}
