import type { Migration } from './migrate.ts'

/** Whoever was added by the id of an account has shown their address to nobody. */
export const knownAddresses: Migration = {
  name: '0031-known-addresses',
  statements: () => ['alter table memberships add column address_known integer not null default 1'],
}
