import type { Migration } from './migrate.ts'

/**
 * SQLite only: the index of events gets the partition into every term, as PostgreSQL has it. Its full-text tables walk a
 * list from its end to the asked range, so terms shared by all projects made each pay for the others. The index is
 * emptied; the program fills it again before it serves (see features/memory/reindex.ts).
 */
export const memoryIndex: Migration = {
  name: '0012-memory-index',
  statements: (engine) =>
    engine === 'sqlite'
      ? [
          'drop table context_event_grams',
          'drop table context_event_words',
          `create virtual table context_event_grams using fts5(
            grams, content='', contentless_delete=1, detail=none, tokenize='ascii'
          )`,
          `create virtual table context_event_words using fts5(words, columnsize=0, detail=none, tokenize='ascii')`,
        ]
      : [],
}
