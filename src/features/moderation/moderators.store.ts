import { sql } from 'kysely'
import type { Db } from '../../db/db.ts'

/** A card in a private team whose only admin owns it: nobody may decide about it. */
export async function hasNoModerator(
  db: Db,
  card: { workspace_id: string; owner_id: string },
): Promise<boolean> {
  const alone = await db
    .selectFrom('workspaces')
    .select('workspace_id')
    .where('workspace_id', '=', card.workspace_id)
    .where('visibility', '=', 'private')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('memberships')
            .select('user_id')
            .where('workspace_id', '=', card.workspace_id)
            .where('role', '=', 'admin')
            .where('user_id', '!=', card.owner_id),
        ),
      ),
    )
    .executeTakeFirst()
  return alone !== undefined
}

/** Who is told of a new matter, and where it is: admins of a team, or service admins and moderators with a proven address. */
export async function moderatorsFor(
  db: Db,
  workspaceId: string,
  addresses: readonly string[],
): Promise<{ userIds: string[]; workspaceName: string }> {
  const admins = await db
    .selectFrom('memberships')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'admin')
    .limit(50)
    .execute()
  const { name: workspaceName, visibility } = await db
    .selectFrom('workspaces')
    .select(['name', 'visibility'])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  if (visibility === 'private') return { userIds: admins.map((row) => row.user_id), workspaceName }
  const named = await db
    .selectFrom('users')
    .select('user_id')
    .where('deleted_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('service_admin', '=', 1),
        addresses.length === 0
          ? sql<boolean>`1 = 0`
          : eb.and([eb('email_verified', '=', 1), eb('email_normal', 'in', addresses)]),
      ]),
    )
    .limit(50)
    .execute()
  return { userIds: [...new Set([...admins, ...named].map((row) => row.user_id))], workspaceName }
}
