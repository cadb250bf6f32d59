import type { EngineName } from '../db.ts'
import type { Migration } from './migrate.ts'

const cardsInIndex = (engine: EngineName) =>
  engine === 'sqlite'
    ? // A number must never come twice: what is left of the former card in the posting lists would pass to the new one.
      'doc_no integer primary key autoincrement'
    : 'doc_no integer generated always as identity primary key'

const bytes = (engine: EngineName) => (engine === 'sqlite' ? 'blob' : 'bytea')

/**
 * The engines' own full text indexes give way to posting lists of ours, the same on both. The index is emptied; the
 * program fills it again before it serves (see features/cards/indexing/reindex.ts).
 */
export const postings: Migration = {
  name: '0011-postings',
  statements: (engine) => [
    'drop table search_docs',
    ...(engine === 'sqlite'
      ? [
          'drop table search_terms',
          'drop table search_grams',
          `create virtual table search_grams using
            fts5(grams, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii')`,
        ]
      : []),
    'drop table search_words',
    `create table search_words (
      hash integer primary key,
      word text not null,
      cards integer not null
      ${engine === 'sqlite' ? '' : ', grams integer[] not null'}
    )${engine === 'sqlite' ? '' : ' with (fillfactor = 85)'}`,
    ...(engine === 'sqlite' ? [] : ['create index search_words_by_gram on search_words using gin (grams)']),
    'delete from search_changes',
    `alter table search_changes add column gone text not null default ''`,
    'update search_totals set cards = 0, length = 0',
    `create table search_docs (
      ${cardsInIndex(engine)},
      card_id text not null unique references cards(card_id),
      analyser integer not null,
      weights ${bytes(engine)} not null
    )`,
    'create index search_docs_by_analyser on search_docs(analyser)',
    'create table search_fresh (doc_no integer primary key)',
    'create table search_runs (run integer primary key, dead integer not null)',
    `create table search_postings (
      run integer not null,
      key integer not null,
      docs ${bytes(engine)} not null,
      primary key (run, key)
    )`,
    `create table search_dead (block integer primary key, docs ${bytes(engine)} not null)`,
    // Numbers do not compress; trying costs time at every read.
    ...(engine === 'sqlite'
      ? []
      : [
          'alter table search_postings alter column docs set storage external',
          'alter table search_docs alter column weights set storage external',
        ]),
  ],
}
