import type { Migration } from './migrate.ts'

export const workspaces: Migration = {
  name: '0002-workspaces',
  statements: () => [
    `create table workspace_invites (
      invite_id text primary key,
      workspace_id text not null references workspaces(workspace_id),
      email text not null,
      email_normal text not null,
      role text not null check (role in ('admin', 'editor', 'viewer')),
      status text not null check (status in ('pending', 'accepted', 'revoked')),
      token_hash text not null unique,
      sendings integer not null,
      invited_by text not null references users(user_id),
      created_at text not null,
      expires_at text not null,
      accepted_at text,
      accepted_by text references users(user_id)
    )`,
    'create index workspace_invites_by_workspace on workspace_invites(workspace_id, created_at)',
    // One open invitation per address: inviting again sends the same one again.
    `create unique index workspace_invites_open on workspace_invites(workspace_id, email_normal)
      where status = 'pending'`,
    "alter table outbox add column sealed_with text not null default ''",
    'create index audit_log_by_actor on audit_log(actor_id, audit_id)',
  ],
}
