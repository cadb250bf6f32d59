import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../db/db.ts'
import type { Schema } from '../../db/schema.ts'
import type { RawMaterialsTable } from '../../db/tables/memory.ts'
import type { Role } from '../../db/tables/workspaces.ts'
import { freeText, storedTextBytes } from '../storage/text-usage.ts'

type Materials = ExpressionBuilder<Schema, 'raw_materials'>

/** The owner, and those who have one of these roles in the workspace it lies in. */
const isOwnerOr = (eb: Materials, viewerId: string, roles: readonly Role[]): Expression<SqlBool> =>
  eb.or([
    eb('raw_materials.owner_id', '=', viewerId),
    eb(
      'raw_materials.workspace_id',
      'in',
      eb
        .selectFrom('memberships')
        .select('memberships.workspace_id')
        .where('memberships.user_id', '=', viewerId)
        .where('memberships.role', 'in', roles),
    ),
  ])

const mayRead = (eb: Materials, viewerId: string) => isOwnerOr(eb, viewerId, ['admin', 'editor'])
/** The same people as for a card. */
const mayDelete = (eb: Materials, viewerId: string) => isOwnerOr(eb, viewerId, ['admin'])

export async function insertMaterial(db: Db, row: RawMaterialsTable): Promise<void> {
  await db.insertInto('raw_materials').values(row).execute()
}

export async function findMaterial(
  db: Db,
  viewerId: string,
  rawId: string,
): Promise<RawMaterialsTable | undefined> {
  return db
    .selectFrom('raw_materials')
    .selectAll()
    .where('raw_id', '=', rawId)
    .where((eb) => mayRead(eb, viewerId))
    .executeTakeFirst()
}

/** Removes it for good; undefined if the viewer may not. */
export async function removeMaterial(
  db: Db,
  viewerId: string,
  rawId: string,
): Promise<Pick<RawMaterialsTable, 'workspace_id' | 'owner_id'> | undefined> {
  const removed = await db
    .deleteFrom('raw_materials')
    .where('raw_id', '=', rawId)
    .where((eb) => mayDelete(eb, viewerId))
    .returning(['workspace_id', 'owner_id', storedTextBytes('raw_materials').as('bytes')])
    .executeTakeFirst()
  if (removed) await freeText(db, [{ user_id: removed.owner_id, bytes: removed.bytes }])
  return removed
}

export type Listing = { workspaceId: string | undefined; page: number; pageSize: number; characters: number }

export async function listMaterials(
  db: Db,
  viewerId: string,
  { workspaceId, page, pageSize, characters }: Listing,
): Promise<{ rows: RawMaterialsTable[]; total: number }> {
  const visible = db
    .selectFrom('raw_materials')
    .where((eb) => mayRead(eb, viewerId))
    .$if(workspaceId !== undefined, (query) => query.where('workspace_id', '=', workspaceId as string))
  const rows = await visible
    .select(['raw_id', 'owner_id', 'workspace_id', 'kind', 'title', 'source_url', 'tags', 'meta'])
    .select(['redactions', 'created_at', sql<string>`substr(content, 1, ${characters})`.as('content')])
    .orderBy('created_at', 'desc')
    .orderBy('raw_id', 'desc')
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute()
  const { total } = await visible
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { rows, total }
}

export async function personalWorkspaceOf(db: Db, userId: string): Promise<string> {
  const { personal_workspace_id } = await db
    .selectFrom('users')
    .select('personal_workspace_id')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return personal_workspace_id
}

export async function countMaterialsIn(db: Db, workspaceId: string): Promise<number> {
  const { materials } = await db
    .selectFrom('raw_materials')
    .select(({ fn }) => fn.countAll<number>().as('materials'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return materials
}

/** Deleting an account deletes its materials, so every owner here still has a personal workspace. */
export async function moveToOwners(db: Db, workspaceId: string): Promise<void> {
  await db
    .updateTable('raw_materials')
    .set({
      workspace_id: sql<string>`(select personal_workspace_id from users where users.user_id = raw_materials.owner_id)`,
    })
    .where('workspace_id', '=', workspaceId)
    .execute()
}
