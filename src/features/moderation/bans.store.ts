import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../db/db.ts'
import type { Schema } from '../../db/schema.ts'
import type { PublishingBansTable } from '../../db/tables/moderation.ts'
import { adminOf, type Moderator } from './matters.store.ts'

type Bans = ExpressionBuilder<Schema, 'publishing_bans'>

/** Moderators of the service see its bans, admins of a workspace see the bans there. Nobody sees their own ban here. */
function maySee(eb: Bans, { userId, isService }: Moderator): Expression<SqlBool> {
  const isAdmin = eb('publishing_bans.workspace_id', 'in', adminOf(userId))
  return eb.and([
    eb('publishing_bans.user_id', '!=', userId),
    eb.or([isService ? eb('publishing_bans.workspace_id', 'is', null) : sql<boolean>`1 = 0`, isAdmin]),
  ])
}

const bansFor = (db: Db, moderator: Moderator) =>
  db.selectFrom('publishing_bans').where((eb) => maySee(eb, moderator))

const shown = (db: Db, moderator: Moderator) =>
  bansFor(db, moderator)
    .innerJoin('users', 'users.user_id', 'publishing_bans.user_id')
    .leftJoin('workspaces', 'workspaces.workspace_id', 'publishing_bans.workspace_id')
    .leftJoin('memberships as theirs', (join) =>
      join
        .onRef('theirs.workspace_id', '=', 'publishing_bans.workspace_id')
        .onRef('theirs.user_id', '=', 'publishing_bans.user_id'),
    )
    .selectAll('publishing_bans')
    .select(['users.display_name', 'workspaces.name as workspace_name'])
    .select(['workspaces.visibility', 'theirs.role as role_there'])

export type BanRow = Awaited<ReturnType<ReturnType<typeof shown>['execute']>>[number]

export async function listBans(
  db: Db,
  moderator: Moderator,
  page: { limit: number; offset: number },
): Promise<{ rows: BanRow[]; total: number }> {
  const { total } = await bansFor(db, moderator)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await shown(db, moderator)
    .orderBy('publishing_bans.created_at', 'desc')
    .orderBy('publishing_bans.ban_id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  return { rows, total }
}

export const findBanFor = (db: Db, moderator: Moderator, banId: string): Promise<BanRow | undefined> =>
  shown(db, moderator).where('publishing_bans.ban_id', '=', banId).executeTakeFirst()

export async function insertBan(db: Db, row: PublishingBansTable): Promise<void> {
  await db.insertInto('publishing_bans').values(row).execute()
}

type Lifting = { lifted_by: string; lifted_at: string; lift_reason: string }

export async function liftBanRow(db: Db, banId: string, lifting: Lifting): Promise<void> {
  await db.updateTable('publishing_bans').set(lifting).where('ban_id', '=', banId).execute()
}

/** Lifts the bans of a matter that are in force, and returns their ids. */
export async function liftBansOfMatter(db: Db, matterId: string, lifting: Lifting): Promise<string[]> {
  const rows = await db
    .updateTable('publishing_bans')
    .set(lifting)
    .where('matter_id', '=', matterId)
    .where('lifted_at', 'is', null)
    .returning('ban_id')
    .execute()
  return rows.map((row) => row.ban_id)
}

/** The ban in force there, for whatever matter. */
export const findBanIn = (
  db: Db,
  userId: string,
  workspaceId: string | null,
): Promise<PublishingBansTable | undefined> =>
  db
    .selectFrom('publishing_bans')
    .selectAll()
    .where('user_id', '=', userId)
    .where('workspace_id', workspaceId === null ? 'is' : '=', workspaceId)
    .where('lifted_at', 'is', null)
    .executeTakeFirst()
