import type { Migration } from './migrate.ts'

/**
 * Of the verdicts of a person on a card in one environment the last one stands. Without this index each of them is
 * compared with all others of the person.
 */
export const standingVerdicts: Migration = {
  name: '0056-standing-verdicts',
  statements: () => [
    'create index card_verdicts_standing on card_verdicts(card_id, user_id, environment_key, verdict_id)',
  ],
}
