import type { Migration } from './statements.ts'

export const firstWeek: Migration = {
  name: '0004-first-week',
  statements: () => [
    'alter table cards add column doubted_at text',
    'alter table cards add column doubts_dismissed_at text',
    'create index cards_doubted on cards(workspace_id, doubted_at) where doubted_at is not null',
    // Every reward is in the row of the feedback.
    'drop index card_verdicts_rewarded',
  ],
}
