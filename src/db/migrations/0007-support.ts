import type { Migration } from './migrate.ts'

export const support: Migration = {
  name: '0007-support',
  statements: () => [
    `create table support_tickets (
      ticket_id text primary key,
      user_id text references users(user_id),
      email text not null,
      subject text not null,
      message text not null,
      category text not null,
      status text not null check (status in ('open', 'closed')),
      created_at text not null,
      closed_at text,
      closed_by text references users(user_id)
    )`,
    'create index support_tickets_by_status on support_tickets(status, created_at, ticket_id)',
    `create table support_attachments (
      attachment_id text primary key,
      ticket_id text not null references support_tickets(ticket_id),
      position integer not null,
      file_name text not null,
      media_type text not null,
      size_bytes integer not null
    )`,
    'create index support_attachments_by_ticket on support_attachments(ticket_id, position)',
  ],
}
