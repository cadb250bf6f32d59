import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Db, isSqlite } from './db.ts'

/** Compares by bytes: some PostgreSQL collations skip spaces, so a range by prefix would miss rows. */
export const byBytes = (db: Db, column: string) =>
  sql<string>`${sql.ref(column)} collate ${sql.raw(isSqlite(db) ? 'binary' : '"C"')}`

/** Returns many texts as one parameter, so that one prepared statement fits all. */
export const textList = (texts: Iterable<string>): string => JSON.stringify([...texts])

export const isAmongTexts = (db: Db, column: string, list: string | Expression<string>) =>
  isSqlite(db)
    ? sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${list}))`
    : sql<SqlBool>`${sql.ref(column)} = any (array(select jsonb_array_elements_text(${list}::jsonb)))`

/** As an array, because PostgreSQL uses no index for a query within an `or`. */
export const isAmongResults = (db: Db, column: string, query: Expression<unknown>) =>
  isSqlite(db)
    ? sql<SqlBool>`${sql.ref(column)} in ${query}`
    : sql<SqlBool>`${sql.ref(column)} = any (array ${query})`

/** Returns many numbers as one parameter, so that one prepared statement fits all. */
export const numberList = (db: Db, numbers: Iterable<number>): string => {
  const list = Array.from(numbers).join()
  return isSqlite(db) ? `[${list}]` : `{${list}}`
}

export const isAmong = (db: Db, column: string, list: string | Expression<string>) =>
  isSqlite(db)
    ? sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${list}))`
    : sql<SqlBool>`${sql.ref(column)} = any (${list}::integer[])`

export const inNumbers = (db: Db, column: string, numbers: Iterable<number>) =>
  isAmong(db, column, numberList(db, numbers))

export function jsonNumber(db: Db, column: string, name: string): RawBuilder<number | null> {
  const json = sql.ref(column)
  if (isSqlite(db)) {
    const path = sql.lit(`$.${name}`)
    return sql`case when json_type(${json}, ${path}) in ('integer', 'real') then json_extract(${json}, ${path}) end`
  }
  // Not jsonb, which refuses texts with \u0000.
  const under = sql`${json}::json -> ${sql.lit(name)}`
  return sql`case when json_typeof(${under}) = 'number' then (${under})::text::double precision end`
}

export const daysBefore = (
  db: Db,
  time: string,
  days: Expression<number | null>,
): RawBuilder<string | null> =>
  isSqlite(db)
    ? sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${time}, '-' || ${days} || ' days')`
    : sql`to_char((${time}::timestamptz - ${days} * interval '24 hours') at time zone 'UTC',
        'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
