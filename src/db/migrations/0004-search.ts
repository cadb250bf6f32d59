import type { EngineName } from '../db.ts'
import type { Migration } from './migrate.ts'

const counted = (engine: EngineName) =>
  engine === 'sqlite' ? 'integer primary key' : 'integer generated always as identity primary key'

/**
 * SQLite: FTS5 holds which card has which term, and nothing else (no text, no positions); how often is in a packed
 * column beside the card. PostgreSQL: the terms are an array under a GIN index, how often is a byte per term.
 */
const index = (engine: EngineName): string[] =>
  engine === 'sqlite'
    ? [
        `create table search_docs (
          doc_no integer primary key,
          card_id text not null unique references cards(card_id),
          analyser integer not null,
          weights blob not null
        )`,
        `create virtual table search_terms using
          fts5(terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii')`,
        `create virtual table search_grams using
          fts5(grams, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii')`,
      ]
    : [
        `create table search_docs (
          doc_no integer generated always as identity primary key,
          card_id text not null unique references cards(card_id),
          analyser integer not null,
          length integer not null,
          terms integer[] not null,
          levels bytea not null
        )`,
        `create index search_docs_by_term on search_docs using gin (terms)
          with (fastupdate = on, gin_pending_list_limit = 512)`,
      ]

export const search: Migration = {
  name: '0004-search',
  statements: (engine) => [
    ...index(engine),
    // Whose reading is old; see features/cards/indexing/reindex.ts.
    'create index search_docs_by_analyser on search_docs(analyser)',
    `create table search_words (
      word_no ${counted(engine)},
      hash integer not null unique,
      word text not null,
      cards integer not null
      ${engine === 'sqlite' ? '' : ', grams integer[] not null'}
    )`,
    ...(engine === 'sqlite' ? [] : ['create index search_words_by_gram on search_words using gin (grams)']),
    `create table search_changes (
      change_no ${counted(engine)},
      cards integer not null,
      length integer not null,
      added text not null,
      removed text not null
    )`,
    `create table search_totals (
      id integer primary key check (id = 1),
      cards integer not null,
      length ${engine === 'sqlite' ? 'integer' : 'bigint'} not null
    )`,
    'insert into search_totals (id, cards, length) values (1, 0, 0)',
  ],
}
