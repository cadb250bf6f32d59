import type { Migration } from './migrate.ts'

export const rewards: Migration = {
  name: '0010-rewards',
  // Publishing asks whether a card has earned before.
  statements: () => [
    `create index credit_entries_by_published_card on credit_entries(ref_id) where reason = 'publish_reward'`,
  ],
}
