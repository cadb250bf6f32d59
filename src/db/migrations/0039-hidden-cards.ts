import type { Migration } from './migrate.ts'

/** A card that moderators, or enough reports, hide from all but its owner. */
export const hiddenCards: Migration = {
  name: '0039-hidden-cards',
  statements: () => ['alter table cards add column hidden_at text'],
}
