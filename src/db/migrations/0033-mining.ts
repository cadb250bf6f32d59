import type { Migration } from './migrate.ts'

/** Drafts of cards that were found in somebody's own work, and what they are found in. */
export const mining: Migration = {
  name: '0033-mining',
  statements: () => [
    `create table card_drafts (
      draft_id text primary key,
      user_id text not null references users(user_id),
      status text not null check (status in ('open', 'accepted', 'dismissed')),
      signature text not null,
      candidate text not null,
      project_key text,
      session_id text,
      client text,
      looks_like text,
      card_id text,
      created_at text not null,
      expires_at text not null,
      decided_at text
    )`,
    // An error has one draft, whoever sends it at the same moment, and a dismissed one does not come back.
    'create unique index card_drafts_once on card_drafts(user_id, signature)',
    'create index card_drafts_by_user on card_drafts(user_id, created_at, draft_id)',
    'create index card_drafts_by_expiry on card_drafts(expires_at)',
    // Sessions with turns that nobody has looked through yet.
    `create table mining_due (
      user_id text not null references users(user_id),
      project_id text not null,
      session_id text not null,
      marked_at text not null,
      primary key (user_id, project_id, session_id)
    )`,
    'create index mining_due_by_age on mining_due(marked_at)',
    // Failing commands that succeeded in the end: how often they were tried tells whether a card helped.
    `create table recoveries (
      recovery_id text primary key,
      user_id text not null references users(user_id),
      project_key text not null,
      session_id text not null,
      signature text not null,
      attempts integer not null,
      is_lesson integer not null,
      created_at text not null
    )`,
    'create unique index recoveries_once on recoveries(user_id, session_id, signature)',
    'create index recoveries_by_user on recoveries(user_id, created_at, recovery_id)',
    'create index recoveries_by_age on recoveries(created_at)',
  ],
}
