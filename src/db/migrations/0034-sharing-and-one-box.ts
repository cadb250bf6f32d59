import type { Migration } from './migrate.ts'

/** A home for what an agent records, what people searched for, and own cards by their last change. */
export const sharingAndOneBox: Migration = {
  name: '0034-sharing-and-one-box',
  statements: () => [
    'alter table api_keys add column default_workspace_id text references workspaces(workspace_id)',
    `create table kept_searches (
      search_id text primary key,
      user_id text not null references users(user_id),
      kind text not null check (kind in ('recent', 'saved')),
      name text,
      query text not null,
      filters text not null,
      created_at text not null,
      used_at text not null
    )`,
    'create index kept_searches_by_person on kept_searches(user_id, kind, used_at, search_id)',
    'create index cards_by_owner_changed on cards(owner_id, updated_at, card_id) where deleted_at is null',
  ],
}
