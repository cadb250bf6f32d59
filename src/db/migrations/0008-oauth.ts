import type { Migration } from './migrate.ts'

export const oauth: Migration = {
  name: '0008-oauth',
  statements: () => [
    `create table oauth_clients (
      client_id text primary key,
      source text not null check (source in ('registered', 'document')),
      name text not null,
      uri text,
      redirect_uris text not null,
      auth_method text not null check (auth_method in ('none', 'client_secret_basic', 'client_secret_post')),
      secret_hash text,
      may_refresh integer not null,
      created_at text not null,
      described_at text not null
    )`,
    'create index oauth_clients_by_age on oauth_clients(created_at)',
    `create table oauth_grants (
      grant_id text primary key,
      user_id text not null references users(user_id),
      client_id text not null references oauth_clients(client_id),
      scopes text not null,
      resource text not null,
      created_at text not null,
      activated_at text,
      last_used_at text
    )`,
    'create index oauth_grants_by_user on oauth_grants(user_id, created_at)',
    'create index oauth_grants_by_client on oauth_grants(client_id)',
    `create table oauth_codes (
      code_hash text primary key,
      grant_id text not null references oauth_grants(grant_id) on delete cascade,
      redirect_uri text not null,
      challenge text not null,
      expires_at text not null,
      used_at text
    )`,
    'create index oauth_codes_by_grant on oauth_codes(grant_id)',
    'create index oauth_codes_by_end on oauth_codes(expires_at)',
    `create table oauth_tokens (
      token_hash text primary key,
      grant_id text not null references oauth_grants(grant_id) on delete cascade,
      kind text not null check (kind in ('access', 'refresh')),
      scopes text not null,
      created_at text not null,
      expires_at text not null,
      used_at text
    )`,
    'create index oauth_tokens_by_grant on oauth_tokens(grant_id)',
    'create index oauth_tokens_by_end on oauth_tokens(expires_at)',
  ],
}
