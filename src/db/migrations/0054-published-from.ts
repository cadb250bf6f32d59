import type { Migration } from './migrate.ts'

/**
 * The index says from which workspace a card was published. That is most of a library, so its cards count as read by an
 * older analyser: a job indexes them again while the service answers. Those that are marked for the start stay so (see
 * features/cards/indexing/reindex.ts).
 */
export const publishedFrom: Migration = {
  name: '0054-published-from',
  statements: () => [
    `update search_docs set analyser = 1 where analyser > 1 and card_id in
      (select card_id from cards where workspace_id <> origin_workspace_id)`,
  ],
}
