import type { Migration } from './migrate.ts'

/** For the job that looks for accounts deleted lately: it read every account, and on SQLite everybody waited for it. */
export const deletedAccounts: Migration = {
  name: '0057-deleted-accounts',
  statements: () => ['create index users_deleted on users(deleted_at) where deleted_at is not null'],
}
