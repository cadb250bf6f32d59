import type { Migration } from './migrate.ts'

/** Lists, counts and searches ask for cards that are there; those that wait for their end after a deletion slow nobody down. */
export const liveCards: Migration = {
  name: '0014-live-cards',
  statements: () => [
    'drop index cards_by_owner',
    'create index cards_by_owner on cards(owner_id, created_at, card_id) where deleted_at is null',
    'create index cards_deleted_by_owner on cards(owner_id) where deleted_at is not null',
    'drop index cards_by_workspace',
    'create index cards_by_workspace on cards(workspace_id, status, created_at, card_id) where deleted_at is null',
  ],
}
