import { sql } from 'kysely'
import { type Db, isSqlite } from './db.ts'

/**
 * A column that is compared and sorted by its bytes, as SQLite does it, whatever collation a PostgreSQL database has.
 * Some collations skip spaces and punctuation, so a range by its first characters would miss its rows.
 */
export const byBytes = (db: Db, column: string) =>
  sql<string>`${sql.ref(column)} collate ${sql.raw(isSqlite(db) ? 'binary' : '"C"')}`
