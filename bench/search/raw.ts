import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import type { App } from '../../src/app.ts'
import { STOP_WORDS } from '../../src/text/stopwords.ts'

/** The yardstick: the engine's own full text index, every word of the query ORed, ranked by the engine, top 50. */
export type RawSearch = { ask: (query: string) => Promise<number>; close: () => void }

const TOP = 50

const wordsOf = (query: string) =>
  (query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !STOP_WORDS.has(word))

export function rawSqlite(dataDir: string): RawSearch {
  const db = new DatabaseSync(join(dataDir, 'raw.db'))
  db.exec(`pragma journal_mode = wal; pragma cache_size = -32000; pragma mmap_size = 268435456;
    attach database '${join(dataDir, 'vault.db')}' as vault;`)
  const isFilled = db.prepare(`select 1 from sqlite_master where name = 'raw'`).get()
  if (!isFilled)
    db.exec(`create virtual table raw using fts5(text, content = '', tokenize = 'porter unicode61');
    insert into raw (rowid, text)
      select rowid, title || ' ' || symptom || ' ' || coalesce(root_cause, '') || ' ' || fix_summary from vault.cards;`)
  const ask = db.prepare(`select rowid from raw where raw match ? order by bm25(raw) limit ${TOP}`)
  return {
    ask: async (query) =>
      ask.all(
        wordsOf(query)
          .map((word) => `"${word}"`)
          .join(' OR '),
      ).length,
    close: () => db.close(),
  }
}

async function rawPostgres(app: App): Promise<RawSearch> {
  const { database } = app.services
  await database.transaction(async (db) => {
    await sql`set local statement_timeout = 0`.execute(db)
    await sql`create table raw as select card_id, to_tsvector('english',
      title || ' ' || symptom || ' ' || coalesce(root_cause, '') || ' ' || fix_summary) as words from cards`.execute(
      db,
    )
    await sql`create index raw_by_word on raw using gin (words)`.execute(db)
  })
  await sql`analyze raw`.execute(database.read)
  return {
    ask: async (query) => {
      const found =
        await sql`select card_id from raw, to_tsquery('english', ${wordsOf(query).join(' | ')}) as asked
        where words @@ asked order by ts_rank(words, asked) desc limit ${sql.lit(TOP)}`.execute(database.read)
      return found.rows.length
    },
    close: () => {},
  }
}

export const rawSearch = (app: App, dataDir: string): Promise<RawSearch> =>
  app.services.database.engine === 'sqlite' ? Promise.resolve(rawSqlite(dataDir)) : rawPostgres(app)

/** Bytes that the search index takes beside the cards. */
export async function indexBytes(app: App): Promise<number> {
  const { database } = app.services
  const found =
    database.engine === 'sqlite'
      ? await sql<{ bytes: number }>`
          select sum(pgsize) as bytes from dbstat
          where name like 'search\\_%' escape '\\' or name like 'sqlite_autoindex_search\\_%' escape '\\'`.execute(
          database.read,
        )
      : await sql<{ bytes: number }>`
          select (pg_total_relation_size('search_docs') + pg_total_relation_size('search_postings') +
            pg_total_relation_size('search_words'))::bigint as bytes`.execute(database.read)
  return Number(found.rows[0]?.bytes ?? 0)
}
