import type { Migration } from './migrate.ts'

/**
 * What a person's rewarded cards said, as a sketch by which near copies are known. It outlives the card: else deleting a
 * card and publishing a near copy would earn again.
 */
export const rewardedTexts: Migration = {
  name: '0025-rewarded-texts',
  statements: () => [
    `create table rewarded_texts (
      user_id text not null references users(user_id),
      card_id text not null,
      sketch text not null,
      created_at text not null,
      primary key (user_id, card_id)
    )`,
  ],
}
