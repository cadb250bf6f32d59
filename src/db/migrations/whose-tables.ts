import { sql } from 'kysely'
import type { Db, EngineName } from '../db.ts'
import { DISTRIBUTION } from '../distribution.ts'
import { initial } from './0001-initial.ts'
import { beginsFormerList } from './former-list.ts'

/** The tables of a vault are not there: this is another database, or one that is still empty. */
export class NoVault extends Error {
  override readonly name = 'NoVault'

  constructor() {
    super(
      'The database has no vault yet. Check DATA_DIR and DATABASE_URL, or start the service once, or restore a backup.',
    )
  }
}

/** A vault would need a table that somebody else has made. */
export class OtherProgram extends Error {
  override readonly name = 'OtherProgram'

  constructor(table: string) {
    super(
      `The database has a table "${table}" of another program. Give the vault a database of its own: check DATABASE_URL and DATA_DIR.`,
    )
  }
}

/** Every vault has it, of whatever version. Other programs, too, call a table `schema_migrations`. */
export const isVault = (applied: ReadonlySet<string>): boolean =>
  applied.has(initial.name) || beginsFormerList(applied)

const MIGRATIONS_TABLE = 'schema_migrations'

async function hasOurColumn(db: Db, engine: EngineName): Promise<boolean> {
  const column =
    engine === 'sqlite'
      ? sql`select 1 from pragma_table_info(${MIGRATIONS_TABLE}) where name = 'name'`
      : sql`select 1 from pg_attribute where attrelid = to_regclass(${MIGRATIONS_TABLE}) and attname = 'name'`
  return (await column.execute(db)).rows.length > 0
}

/** Returns the applied migrations, none without a vault. Only reads, so that a wrong database stays as it is. */
export async function appliedNames(db: Db, engine: EngineName): Promise<Set<string>> {
  if (!(await hasOurColumn(db, engine))) return new Set()
  const rows = await db.selectFrom(MIGRATIONS_TABLE).select('name').execute()
  const names = new Set(rows.map((row) => row.name))
  return isVault(names) ? names : new Set()
}

/** Version 0.1.0 left an empty table of migrations where it had refused to restore. One with rows is somebody else's. */
async function isLeftByUs(db: Db, engine: EngineName): Promise<boolean> {
  if (!(await hasOurColumn(db, engine))) return false
  const row = await db.selectFrom(MIGRATIONS_TABLE).select('name').limit(1).executeTakeFirst()
  return row === undefined
}

/** Asked before the first migration, which would fail without saying why, or write into a table of another program. */
export async function refuseOtherProgram(db: Db, engine: EngineName): Promise<void> {
  const ours = sql.join(Object.keys(DISTRIBUTION))
  const found =
    engine === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where name in (${ours}) order by name`
      : sql<{ name: string }>`select relname as name from pg_class
          where relnamespace = current_schema()::regnamespace and relname in (${ours}) order by relname`
  const isLeft = await isLeftByUs(db, engine)
  const { rows } = await found.execute(db)
  const strange = rows.find(({ name }) => name !== MIGRATIONS_TABLE || !isLeft)
  if (strange) throw new OtherProgram(strange.name)
}
