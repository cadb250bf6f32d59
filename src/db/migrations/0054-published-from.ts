import type { Migration } from './migrate.ts'

/**
 * The index says from which workspace a card was published. Cards that are published elsewhere are marked as stale, and
 * are indexed again before the first search (see features/cards/indexing/reindex.ts).
 */
export const publishedFrom: Migration = {
  name: '0054-published-from',
  statements: () => [
    `update search_docs set analyser = 0 where card_id in
      (select card_id from cards where workspace_id <> origin_workspace_id)`,
  ],
}
