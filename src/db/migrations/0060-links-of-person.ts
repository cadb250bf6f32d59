import type { Migration } from './migrate.ts'

/** The export of an account reads the links and merges of one person in the order in which they were made. */
export const linksOfPerson: Migration = {
  name: '0060-links-of-person',
  statements: () => [
    'create index card_links_of_person on card_links(created_by, created_at, link_id)',
    'create index card_merges_of_person on card_merges(merged_by, created_at, from_card_id)',
  ],
}
