import type { Migration } from './migrate.ts'

/** A new e-mail address that waits to be confirmed: at most one for each account. */
export const emailChanges: Migration = {
  name: '0020-email-changes',
  statements: () => [
    `create table email_changes (
      user_id text primary key references users(user_id),
      token_hash text not null unique,
      email text not null,
      email_normal text not null,
      mailed integer not null,
      created_at text not null,
      expires_at text not null
    )`,
  ],
}
