import type { Migration } from './migrate.ts'

/**
 * Notes on the scope and the text of evidence are searched now. Cards that have them are marked as stale, and the job
 * that looks for such marks reads them again while the service runs (see features/cards/indexing/reindex.ts).
 */
export const searchedEvidence: Migration = {
  name: '0017-searched-evidence',
  statements: () => [
    `update search_docs set analyser = 0 where card_id in
      (select card_id from cards where evidence_count > 0 or scope_notes is not null)`,
  ],
}
