import type { Migration } from './migrate.ts'

/** Who gave a member the role, as far as the audit log knows. An invitation that was accepted names the member. */
const WHO_GAVE_THE_ROLE = `select audit_log.actor_id from audit_log
  where audit_log.workspace_id = memberships.workspace_id and audit_log.subject_type = 'user'
    and audit_log.subject_id = memberships.user_id
    and audit_log.action in ('member.added', 'member.role_changed')
  order by audit_log.audit_id desc limit 1`

/** An inbox for each person, and who decided what about whom. */
export const notices: Migration = {
  name: '0022-notices',
  statements: () => [
    `create table notices (
      notice_id text primary key,
      user_id text not null references users(user_id),
      kind text not null,
      actor_id text references users(user_id),
      workspace_id text references workspaces(workspace_id),
      subject_id text,
      details text not null,
      created_at text not null,
      read_at text
    )`,
    'create index notices_by_user on notices(user_id, created_at, notice_id)',
    'create index notices_unread on notices(user_id) where read_at is null',
    'create index notices_by_age on notices(created_at)',
    // Null where they gave it to themselves: by making the workspace or by accepting an invitation.
    'alter table memberships add column role_given_by text references users(user_id)',
    `update memberships set role_given_by = (${WHO_GAVE_THE_ROLE})
      where exists (select 1 from workspaces where workspaces.workspace_id = memberships.workspace_id
        and workspaces.type != 'personal')`,
    'update memberships set role_given_by = null where role_given_by = user_id',
    // The account that may accept without the link, from its inbox.
    'alter table workspace_invites add column for_user_id text references users(user_id)',
    'create index workspace_invites_by_account on workspace_invites(for_user_id)',
    'alter table users add column service_admin integer not null default 0',
    // Failures are forgotten after a day.
    'create index login_failures_by_age on login_failures(last_failure_at)',
    // Asked for and not yet looked at: whether the address has an account is found out after the answer.
    `create table reset_requests (
      request_id text primary key,
      email_normal text not null,
      created_at text not null
    )`,
  ],
}
