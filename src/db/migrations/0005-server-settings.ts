import type { Migration } from './statements.ts'

/** Settings that admins change while the server runs, one row per setting that was ever changed. */
export const serverSettings: Migration = {
  name: '0005-server-settings',
  statements: () => [
    `create table server_settings (
      key text primary key,
      value text not null,
      changed_by text not null,
      changed_at text not null
    )`,
  ],
}
