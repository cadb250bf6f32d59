import { sql } from 'kysely'
import type { Db } from '../../db/db.ts'

type Asked = { userId: string; emailHash: string; workspaceId: string; isOpen: boolean }

/** A ban in force that keeps this person, or a former account of theirs, from publishing in this workspace. */
export const findBan = (db: Db, { userId, emailHash, workspaceId, isOpen }: Asked) =>
  db
    .selectFrom('publishing_bans')
    .select(['ban_id', 'user_id', 'matter_id', 'workspace_id', 'reason'])
    .where('lifted_at', 'is', null)
    .where((eb) => eb.or([eb('user_id', '=', userId), eb('email_hash', '=', emailHash)]))
    .where((eb) =>
      eb.or([
        eb('workspace_id', '=', workspaceId),
        isOpen ? eb('workspace_id', 'is', null) : sql<boolean>`1 = 0`,
      ]),
    )
    // One's own can be appealed.
    .orderBy(sql`case when user_id = ${userId} then 0 else 1 end`)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()

export async function addressOf(db: Db, userId: string): Promise<string> {
  const row = await db
    .selectFrom('users')
    .select('email_normal')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.email_normal ?? ''
}

/** Decisions that let this very version pass in this workspace. */
export const leavesGiven = (
  db: Db,
  { cardId, version, workspaceId }: { cardId: string; version: number; workspaceId: string },
) =>
  db
    .selectFrom('moderation_matters')
    .select('decided_by_service')
    .where('card_id', '=', cardId)
    .where('cause', '=', 'blocked')
    .where('status', '=', 'decided')
    .where('decision', '=', 'keep')
    .where('decided_version', '=', version)
    .where('workspace_id', '=', workspaceId)
    .execute()
