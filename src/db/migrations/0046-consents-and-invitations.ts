import type { Migration } from './migrate.ts'

/** A registration of an app knows that somebody has consented to it, also after they have disconnected the app. */
export const consentsAndInvitations: Migration = {
  name: '0046-consents-and-invitations',
  statements: () => [
    'alter table oauth_clients add column consented_at text',
    `update oauth_clients set consented_at = created_at
      where client_id in (select client_id from oauth_grants)`,
  ],
}
