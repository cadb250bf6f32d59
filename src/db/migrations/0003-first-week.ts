import type { Migration } from './statements.ts'

/** The choice to share what a key records, and codes that a person types to sign in another device (RFC 8628). */
export const firstWeek: Migration = {
  name: '0003-first-week',
  statements: () => [
    'alter table api_keys add column share_recorded integer not null default 0',
    `create table oauth_device_codes (
      device_hash text primary key,
      user_code_hash text not null unique,
      client_id text not null references oauth_clients(client_id) on delete cascade,
      scopes text not null, resource text not null,
      created_at text not null, expires_at text not null,
      interval_seconds integer not null, polled_at text,
      -- Set by the person's decision: a grant to collect, or a refusal.
      grant_id text references oauth_grants(grant_id) on delete cascade,
      denied_at text
    )`,
    'create index oauth_device_codes_by_end on oauth_device_codes(expires_at)',
  ],
}
