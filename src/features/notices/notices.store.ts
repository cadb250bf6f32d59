import { sql } from 'kysely'
import type { Db } from '../../db/db.ts'
import type { NoticesTable } from '../../db/tables/notices.ts'

/** What the unread notices of a person differ in, as the unique index has it. */
const THING = sql`user_id, kind, coalesce(workspace_id, ''), coalesce(subject_id, '')`

/** Replaces the unread notice of the same thing, also one that somebody else writes at this moment. */
export async function putNotice(db: Db, row: NoticesTable): Promise<void> {
  const { notice_id, actor_id, details, created_at } = row
  await db
    .insertInto('notices')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .expression(THING)
        .where('read_at', 'is', null)
        .doUpdateSet({ notice_id, actor_id, details, created_at }),
    )
    .execute()
}

type Cause = {
  userId: string
  kind: string
  workspaceId: string | null
  subjectId: string | null
  /** Only notices that this person caused. */
  actorId?: string
}

/** Returns whether there was one. */
export async function deleteUnread(
  db: Db,
  { userId, kind, workspaceId, subjectId, actorId }: Cause,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('notices')
    .where('user_id', '=', userId)
    .where('read_at', 'is', null)
    .where('kind', '=', kind)
    .where('workspace_id', workspaceId === null ? 'is' : '=', workspaceId)
    .where('subject_id', subjectId === null ? 'is' : '=', subjectId)
    .$if(actorId !== undefined, (query) => query.where('actor_id', '=', actorId ?? ''))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** When a person last read a notice about this. */
export async function lastReadAt(
  db: Db,
  { userId, kind, subjectId }: { userId: string; kind: string; subjectId: string },
): Promise<string | null> {
  const { last } = await db
    .selectFrom('notices')
    .select((eb) => eb.fn.max('read_at').as('last'))
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('subject_id', '=', subjectId)
    .executeTakeFirstOrThrow()
  return last
}

export async function wasTold(db: Db, userId: string, kind: string, since: string): Promise<boolean> {
  const row = await db
    .selectFrom('notices')
    .select('notice_id')
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('created_at', '>=', since)
    .executeTakeFirst()
  return row !== undefined
}
