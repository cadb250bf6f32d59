import type { Migration } from './statements.ts'

/** Settings that admins change while the server runs, one row for each that was ever changed; and whether credits are shown. */
export const serverSettings: Migration = {
  name: '0005-server-settings',
  statements: () => [
    `create table server_settings (
      key text primary key,
      value text not null,
      changed_by text not null,
      changed_at text not null
    )`,
    // Names those who have published into a workspace, without a look at their cards.
    `create index cards_publishers on cards(workspace_id, origin_workspace_id)
      where status = 'published' and review_status = 'passed' and hidden_at is null and deleted_at is null`,
  ],
}
