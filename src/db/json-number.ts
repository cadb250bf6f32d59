import { type Expression, type RawBuilder, sql } from 'kysely'
import { type Db, isSqlite } from './db.ts'

/** The number under a name of a JSON object in a column; null if there is none. */
export function jsonNumber(db: Db, column: string, name: string): RawBuilder<number | null> {
  const json = sql.ref(column)
  if (isSqlite(db)) {
    const path = sql.lit(`$.${name}`)
    return sql`case when json_type(${json}, ${path}) in ('integer', 'real') then json_extract(${json}, ${path}) end`
  }
  // Not jsonb, which refuses a text with \u0000 wherever it stands.
  const under = sql`${json}::json -> ${sql.lit(name)}`
  return sql`case when json_typeof(${under}) = 'number' then (${under})::text::double precision end`
}

/** So many days before a time, as times are stored. */
export const daysBefore = (
  db: Db,
  time: string,
  days: Expression<number | null>,
): RawBuilder<string | null> =>
  isSqlite(db)
    ? sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${time}, '-' || ${days} || ' days')`
    : sql`to_char((${time}::timestamptz - ${days} * interval '24 hours') at time zone 'UTC',
        'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
