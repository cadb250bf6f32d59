import type { Migration } from './migrate.ts'

export const scale: Migration = {
  name: '0009-scale',
  // PostgreSQL only: how far into its log a person has lately written, so that a replica knows whether it may answer
  // them. Unlogged, as after a crash there is nothing in it worth keeping.
  statements: (engine) =>
    engine === 'sqlite'
      ? []
      : [
          `create unlogged table write_positions (
            user_id text primary key,
            position pg_lsn not null,
            written_at timestamptz not null
          ) with (fillfactor = 50)`,
        ],
}
