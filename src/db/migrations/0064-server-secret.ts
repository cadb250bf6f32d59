import type { Migration } from './migrate.ts'

/** Which secret key seals what this database holds, and the key of its hashes, which outlives a change of the secret key. */
export const serverSecret: Migration = {
  name: '0064-server-secret',
  statements: () => [
    `create table server_secret (
      id integer primary key check (id = 1),
      fingerprint text not null,
      hash_key text not null
    )`,
  ],
}
