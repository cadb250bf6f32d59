import type { Migration } from './migrate.ts'

export const firstFiveMinutes: Migration = {
  name: '0037-first-five-minutes',
  statements: () => [
    'alter table cards add column source_event_id text',
    'alter table cards add column sample text',
    'create index cards_by_sample on cards(owner_id, sample) where sample is not null',
    'create index workspace_invites_by_inviter on workspace_invites(invited_by)',
    `create table first_steps (
      user_id text primary key references users(user_id),
      searched_at text,
      dismissed_at text
    )`,
    `create table support_replies (
      reply_id text primary key,
      ticket_id text not null references support_tickets(ticket_id),
      author_id text references users(user_id),
      from_support integer not null,
      message text not null,
      created_at text not null
    )`,
    'create index support_replies_by_ticket on support_replies(ticket_id, created_at, reply_id)',
  ],
}
