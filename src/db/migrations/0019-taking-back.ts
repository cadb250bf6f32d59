import type { Migration } from './migrate.ts'

/**
 * What people can take back: a workspace, an invitation addressed to them, an invite code, their feedback. Rows that
 * others refer to stay and carry the time of their end.
 */
export const takingBack: Migration = {
  name: '0019-taking-back',
  statements: () => [
    'alter table workspaces add column deleted_at text',
    // Cards that were published elsewhere, and cards that wait for their end: both have to leave a workspace that goes.
    `create index cards_away_by_origin on cards(origin_workspace_id)
      where workspace_id <> origin_workspace_id`,
    'create index cards_deleted_by_workspace on cards(workspace_id) where deleted_at is not null',
    'alter table workspace_invites add column declined_at text',
    `create index workspace_invites_by_email on workspace_invites(email_normal) where status = 'pending'`,
    'alter table billing_invites add column withdrawn_at text',
    'alter table card_feedback add column withdrawn_at text',
  ],
}
