import type { Migration } from './migrate.ts'

/** Marks a card that moderators, or enough reports, have hidden from everybody but its owner. */
export const hiddenCards: Migration = {
  name: '0039-hidden-cards',
  statements: () => ['alter table cards add column hidden_at text'],
}
