import type { Migration } from './migrate.ts'

/** Cards that were shared before sharing kept a review. Few, and soon none, so that looking for them costs nothing. */
export const awaitingReview: Migration = {
  name: '0026-awaiting-review',
  statements: () => [
    `create index cards_awaiting_review on cards (card_id)
      where status = 'published' and review_status = 'not_reviewed' and deleted_at is null`,
  ],
}
