import { sql } from 'kysely'
import type { TestVault } from './engines.ts'

/** Gives a column the collation that some databases have for everything: spaces, punctuation and case count last. */
export const collateAsWords = (t: TestVault, table: string, column: string): Promise<void> =>
  t.app.services.database.transaction(async (db) => {
    if (t.engine === 'sqlite') return
    await sql`create collation if not exists as_words (provider = icu, locale = 'und-u-ka-shifted')`.execute(
      db,
    )
    await sql`alter table ${sql.table(table)} alter column ${sql.ref(column)} type text collate as_words`.execute(
      db,
    )
  })
