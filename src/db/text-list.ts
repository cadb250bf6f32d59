import { type Expression, type SqlBool, sql } from 'kysely'
import { type Db, isSqlite } from './db.ts'

/** Many texts as one parameter, so that there is one statement to prepare. */
export const textList = (texts: Iterable<string>): string => JSON.stringify([...texts])

/** Whether a column is among them; the list is made by `textList`. */
export const isAmongTexts = (db: Db, column: string, list: string | Expression<string>) =>
  isSqlite(db)
    ? sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${list}))`
    : sql<SqlBool>`${sql.ref(column)} = any (array(select jsonb_array_elements_text(${list}::jsonb)))`
