import type { Migration } from './migrate.ts'

/** All feedback of one person in the order of its time, as an export reads it. */
export const ownFeedback: Migration = {
  name: '0050-own-feedback',
  statements: () => [
    'create index card_feedback_of_person on card_feedback(user_id, created_at, feedback_id)',
  ],
}
