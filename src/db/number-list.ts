import { type Expression, type SqlBool, sql } from 'kysely'
import { type Db, isSqlite } from './db.ts'

/** Many numbers as one parameter, so that there is one statement to prepare. */
export const numberList = (db: Db, numbers: Iterable<number>): string => {
  const list = Array.from(numbers).join()
  return isSqlite(db) ? `[${list}]` : `{${list}}`
}

/** Whether a column is among them; the list is made by `numberList`. */
export const isAmong = (db: Db, column: string, list: string | Expression<string>) =>
  isSqlite(db)
    ? sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${list}))`
    : sql<SqlBool>`${sql.ref(column)} = any (${list}::integer[])`

export const inNumbers = (db: Db, column: string, numbers: Iterable<number>) =>
  isAmong(db, column, numberList(db, numbers))
