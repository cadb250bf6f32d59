import type { Migration } from './migrate.ts'

/** Confirmed addresses that an account has left, as hashes, so that a mailbox does not earn anew with each account. */
export const leftAddresses: Migration = {
  name: '0047-left-addresses',
  statements: () => [
    `create table left_addresses (
      address_hash text not null,
      user_id text not null references users(user_id),
      left_at text not null,
      primary key (address_hash, user_id)
    )`,
    'create index left_addresses_by_time on left_addresses(left_at)',
  ],
}
