import type { Migration } from './migrate.ts'

/**
 * What settings and plans promise: feedback knows whether its mail has gone, a ticket the plan of its author, and the
 * support chat its conversations.
 */
export const realSettings: Migration = {
  name: '0016-real-settings',
  statements: () => [
    'alter table card_feedback add column told_at text',
    // Nobody is mailed about feedback from before there was such a mail.
    'update card_feedback set told_at = created_at',
    'create index card_feedback_untold on card_feedback(card_id) where told_at is null',
    'alter table support_tickets add column plan text',
    `update support_tickets set plan =
      (select users.plan from users where users.user_id = support_tickets.user_id)`,
    `create table support_conversations (
      conversation_hash text primary key,
      user_id text references users(user_id),
      sealed_turns text not null,
      updated_at text not null
    )`,
    'create index support_conversations_by_time on support_conversations(updated_at)',
    'create index support_conversations_by_user on support_conversations(user_id)',
  ],
}
