import type { Db } from '../../db/db.ts'
import type { NoticesTable } from '../../db/tables/notices.ts'
import type { Role } from '../../db/tables/workspaces.ts'

export type NoticeRow = NoticesTable & {
  actor_name: string | null
  /** The reader's role there now, or null once they have left. */
  my_role: Role | null
  invite_status: string | null
  invite_expires_at: string | null
}

type Page = { unreadOnly: boolean; limit: number; offset: number }

/** Newest first. */
export function listNoticesOf(db: Db, userId: string, page: Page): Promise<NoticeRow[]> {
  return db
    .selectFrom('notices')
    .leftJoin('users', 'users.user_id', 'notices.actor_id')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.workspace_id', '=', 'notices.workspace_id')
        .onRef('memberships.user_id', '=', 'notices.user_id'),
    )
    .leftJoin('workspace_invites', (join) =>
      join
        .onRef('workspace_invites.invite_id', '=', 'notices.subject_id')
        .onRef('workspace_invites.for_user_id', '=', 'notices.user_id'),
    )
    .selectAll('notices')
    .select([
      'users.display_name as actor_name',
      'memberships.role as my_role',
      'workspace_invites.status as invite_status',
      'workspace_invites.expires_at as invite_expires_at',
    ])
    .where('notices.user_id', '=', userId)
    .$if(page.unreadOnly, (query) => query.where('notices.read_at', 'is', null))
    .orderBy('notices.created_at', 'desc')
    .orderBy('notices.notice_id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
}

export async function countNotices(db: Db, userId: string): Promise<{ total: number; unread: number }> {
  const { total, read } = await db
    .selectFrom('notices')
    .select(({ fn }) => [fn.countAll<number>().as('total'), fn.count<number>('read_at').as('read')])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return { total, unread: total - read }
}

export async function countUnread(db: Db, userId: string): Promise<number> {
  const { unread } = await db
    .selectFrom('notices')
    .select(({ fn }) => fn.countAll<number>().as('unread'))
    .where('user_id', '=', userId)
    .where('read_at', 'is', null)
    .executeTakeFirstOrThrow()
  return unread
}

export async function markRead(
  db: Db,
  userId: string,
  noticeIds: readonly string[] | undefined,
  now: string,
): Promise<void> {
  await db
    .updateTable('notices')
    .set({ read_at: now })
    .where('user_id', '=', userId)
    .where('read_at', 'is', null)
    .$if(noticeIds !== undefined, (query) => query.where('notice_id', 'in', noticeIds ?? []))
    .execute()
}

export async function deleteNoticesBefore(db: Db, before: string): Promise<void> {
  await db.deleteFrom('notices').where('created_at', '<', before).execute()
}
