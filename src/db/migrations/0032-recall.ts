import type { Migration } from './migrate.ts'

/** What recall was asked and what it delivered. The texts that were sent are not kept, only a hash of a failure's telling lines. */
export const recall: Migration = {
  name: '0032-recall',
  statements: () => [
    `create table recall_calls (
      call_id text primary key,
      user_id text not null references users(user_id),
      project_key text,
      session_id text,
      client text,
      moment text not null check (moment in ('failure', 'prompt', 'start', 'compact')),
      signature text,
      is_silent integer not null,
      reason text not null,
      chars integer not null,
      created_at text not null
    )`,
    'create index recall_calls_by_user on recall_calls(user_id, created_at, call_id)',
    'create index recall_calls_by_signature on recall_calls(user_id, signature, created_at) where signature is not null',
    'create index recall_calls_by_age on recall_calls(created_at)',
    `create table recall_items (
      delivery_id text primary key,
      call_id text not null,
      user_id text not null references users(user_id),
      session_id text,
      kind text not null check (kind in ('card', 'fact', 'event')),
      item_id text not null,
      confidence real,
      opened_at text,
      created_at text not null
    )`,
    'create index recall_items_by_user on recall_items(user_id, created_at, delivery_id)',
    'create index recall_items_by_call on recall_items(user_id, call_id)',
    // An item has one row in a session, whoever asks at the same moment.
    `create unique index recall_items_once on recall_items(user_id, session_id, kind, item_id)
      where session_id is not null`,
    'create index recall_items_unopened on recall_items(user_id, item_id) where opened_at is null',
    'create index recall_items_by_age on recall_items(created_at)',
  ],
}
