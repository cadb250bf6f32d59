import type { Migration } from './migrate.ts'

/**
 * A registration of an app knows that somebody has consented to it, also after they have disconnected the app. Open
 * invitations whose sender is no longer an admin are withdrawn, as they are from now on when that happens. An invitation
 * knows that somebody has registered with it.
 */
export const consentsAndInvitations: Migration = {
  name: '0046-consents-and-invitations',
  statements: () => [
    'alter table oauth_clients add column consented_at text',
    `update oauth_clients set consented_at = created_at
      where client_id in (select client_id from oauth_grants)`,
    `update workspace_invites set status = 'revoked'
      where status = 'pending' and not exists (
        select 1 from memberships
        where memberships.workspace_id = workspace_invites.workspace_id
          and memberships.user_id = workspace_invites.invited_by
          and memberships.role = 'admin'
      )`,
    'alter table workspace_invites add column registered_at text',
  ],
}
