import type { Migration } from './migrate.ts'

/** What a notice is about: the same thing again replaces the unread one. The store names the same columns. */
const THING = "user_id, kind, coalesce(workspace_id, ''), coalesce(subject_id, '')"

/** Two people who caused the same notice at the same moment left two. The newest stays. */
export const oneUnreadNotice: Migration = {
  name: '0051-one-unread-notice',
  statements: () => [
    `delete from notices where read_at is null and exists (
      select 1 from notices as newer
      where newer.user_id = notices.user_id and newer.kind = notices.kind and newer.read_at is null
        and coalesce(newer.workspace_id, '') = coalesce(notices.workspace_id, '')
        and coalesce(newer.subject_id, '') = coalesce(notices.subject_id, '')
        and (newer.created_at > notices.created_at
          or (newer.created_at = notices.created_at and newer.notice_id > notices.notice_id)))`,
    `create unique index notices_one_unread on notices(${THING}) where read_at is null`,
    // The unique index begins with the same column.
    'drop index notices_unread',
  ],
}
