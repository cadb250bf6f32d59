import type { Migration } from './migrate.ts'

/**
 * The rows of one person are read page by page along an index: events by project, tickets by who wrote them. Events
 * need no index by person any more, which every event paid for.
 */
export const ownRows: Migration = {
  name: '0015-own-rows',
  statements: () => [
    'drop index context_events_by_user',
    'create index support_tickets_by_user on support_tickets(user_id, created_at, ticket_id)',
  ],
}
