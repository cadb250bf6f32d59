import type { Migration } from './migrate.ts'

/** How cards stand to one another, and which card has taken in which. */
export const cardLinks: Migration = {
  name: '0030-card-links',
  statements: () => [
    `create table card_links (
      link_id text primary key,
      from_card_id text not null references cards(card_id),
      to_card_id text not null,
      kind text not null check (kind in ('supersedes', 'duplicates', 'contradicts', 'related')),
      why text,
      created_by text references users(user_id),
      created_at text not null,
      unique (from_card_id, to_card_id, kind)
    )`,
    'create index card_links_to on card_links(to_card_id)',
    `create table card_merges (
      from_card_id text primary key references cards(card_id),
      into_card_id text not null,
      merged_by text not null references users(user_id),
      why text,
      created_at text not null
    )`,
    'create index card_merges_into on card_merges(into_card_id)',
    'alter table cards add column superseded_by text',
  ],
}
