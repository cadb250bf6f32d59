import type { Migration } from './migrate.ts'

const TAKEN_BACK = `select coalesce(-sum(delta), 0) from credit_entries
  where credit_entries.user_id = credit_balances.user_id and reason = 'refund' and delta < 0`

/** What refunds took back was counted as spent. It is taken from what was earned and bought instead. */
export const refundsAreNotSpent: Migration = {
  name: '0055-refunds-are-not-spent',
  statements: () => [
    `update credit_balances set
      lifetime_earned = lifetime_earned - (${TAKEN_BACK}),
      lifetime_spent = lifetime_spent - (${TAKEN_BACK})
    where user_id in (select user_id from credit_entries where reason = 'refund' and delta < 0)`,
  ],
}
