import type { Migration } from './migrate.ts'

/**
 * On PostgreSQL an updated row stays in its page where there is room. Without room each change of a word's counts would add
 * the word to the index of trigrams once more.
 */
export const roomForCounts: Migration = {
  name: '0061-room-for-counts',
  statements: (engine) =>
    engine === 'sqlite'
      ? []
      : [
          'alter table search_words set (fillfactor = 75)',
          // Without a list of pending entries the index of trigrams does not grow beyond what it holds.
          'alter index search_words_by_gram set (fastupdate = off)',
        ],
}
