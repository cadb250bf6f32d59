import { PUBLIC_LIBRARY_ID, PUBLIC_LIBRARY_NAME } from '../public-library.ts'
import { appendOnly } from './append-only.ts'
import type { Migration } from './migrate.ts'

export const foundation: Migration = {
  name: '0001-foundation',
  statements: (engine) => [
    `create table users (
      user_id text primary key,
      email text,
      email_normal text unique,
      password_hash text,
      google_subject text unique,
      display_name text not null,
      email_verified integer not null default 0,
      onboarding text,
      plan text not null default 'free',
      settings text not null,
      personal_workspace_id text not null,
      created_at text not null,
      updated_at text not null,
      deleted_at text
    )`,
    `create table sessions (
      session_id text primary key,
      token_hash text not null unique,
      user_id text not null references users(user_id),
      created_at text not null,
      last_seen_at text not null,
      expires_at text not null
    )`,
    'create index sessions_by_user on sessions(user_id)',
    `create table api_keys (
      key_id text primary key,
      key_hash text not null unique,
      user_id text not null references users(user_id),
      name text not null,
      prefix text not null,
      scopes text not null,
      created_at text not null,
      last_used_at text,
      expires_at text
    )`,
    'create index api_keys_by_user on api_keys(user_id, created_at)',
    `create table email_tokens (
      token_hash text primary key,
      user_id text not null references users(user_id),
      purpose text not null check (purpose in ('reset_password', 'verify_email')),
      created_at text not null,
      expires_at text not null,
      used_at text
    )`,
    'create index email_tokens_by_user on email_tokens(user_id)',
    `create table login_failures (
      subject text primary key,
      failures integer not null,
      last_failure_at text not null
    )`,
    `create table idempotency_keys (
      key_hash text primary key,
      request_hash text not null,
      sealed_answer text not null,
      created_at text not null
    )`,
    'create index idempotency_keys_by_age on idempotency_keys(created_at)',

    `create table workspaces (
      workspace_id text primary key,
      name text not null,
      type text not null check (type in ('org', 'personal', 'team', 'system')),
      visibility text not null check (visibility in ('private', 'unlisted', 'public')),
      policy_json text,
      created_by text references users(user_id),
      created_at text not null,
      updated_at text not null
    )`,
    'create index workspaces_by_visibility on workspaces(visibility, created_at)',
    `create table memberships (
      workspace_id text not null references workspaces(workspace_id),
      user_id text not null references users(user_id),
      role text not null check (role in ('admin', 'editor', 'viewer')),
      created_at text not null,
      primary key (workspace_id, user_id)
    )`,
    'create index memberships_by_user on memberships(user_id, workspace_id)',
    `insert into workspaces (workspace_id, name, type, visibility, created_at, updated_at)
      values ('${PUBLIC_LIBRARY_ID}', '${PUBLIC_LIBRARY_NAME}', 'system', 'public',
        '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`,

    `create table credit_balances (
      user_id text primary key references users(user_id),
      balance integer not null check (balance >= 0),
      lifetime_earned integer not null,
      lifetime_spent integer not null,
      updated_at text not null
    )`,
    `create table credit_entries (
      entry_id text primary key,
      user_id text not null references users(user_id),
      delta integer not null,
      balance_after integer not null check (balance_after >= 0),
      reason text not null,
      ref_type text,
      ref_id text,
      cause text not null,
      created_at text not null,
      unique (user_id, cause)
    )`,
    'create index credit_entries_by_user on credit_entries(user_id, created_at, entry_id)',
    ...appendOnly(engine, 'credit_entries'),

    `create table audit_log (
      audit_id text primary key,
      actor_id text,
      workspace_id text,
      action text not null,
      subject_type text not null,
      subject_id text not null,
      details text not null,
      request_id text not null,
      created_at text not null
    )`,
    'create index audit_log_by_workspace on audit_log(workspace_id, audit_id)',
    ...appendOnly(engine, 'audit_log'),

    `create table outbox (
      mail_id text primary key,
      state_key text not null unique,
      to_address text not null,
      subject text not null,
      text_body text not null,
      html_body text not null,
      status text not null check (status in ('pending', 'sent', 'failed', 'cancelled')),
      attempts integer not null default 0,
      next_attempt_at text not null,
      claimed_until text,
      last_error text,
      created_at text not null,
      sent_at text
    )`,
    'create index outbox_due on outbox(status, next_attempt_at)',
  ],
}
