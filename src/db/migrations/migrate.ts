import { sql } from 'kysely'
import type { Database, Db, EngineName } from '../db.ts'
import { layOut } from '../distribution.ts'
import { acquireLock } from '../locks.ts'
import { initial } from './0001-initial.ts'
import { rateLimits } from './0002-rate-limits.ts'
import { keptAnswers } from './0003-kept-answers.ts'
import { firstWeek } from './0004-first-week.ts'
import { serverSettings } from './0005-server-settings.ts'
import { embeddings } from './0006-embeddings.ts'
import { decisions } from './0007-decisions.ts'
import { commits } from './0008-commits.ts'
import { beginsFormerList, FORMER_LIST, presentNames, SchemaTooOld } from './former-list.ts'
import type { Migration } from './statements.ts'
import { appliedNames, NoVault, refuseOtherProgram } from './whose-tables.ts'

/** Forward only, in this order, each applied once. */
export const MIGRATIONS: readonly Migration[] = [
  initial,
  rateLimits,
  keptAnswers,
  firstWeek,
  serverSettings,
  embeddings,
  decisions,
  commits,
]

export class SchemaTooNew extends Error {
  override readonly name = 'SchemaTooNew'
}

function refuseNewer(applied: ReadonlySet<string>, migrations: typeof MIGRATIONS): void {
  const known = new Set(migrations.map((migration) => migration.name))
  const unknown = [...applied].filter((name) => !known.has(name))
  if (unknown.length > 0)
    throw new SchemaTooNew(
      `The database was written by a newer version of this program (it has ${unknown.join(', ')}). Start that version, or restore a backup made before the upgrade.`,
    )
}

async function beginVault(db: Db, engine: EngineName): Promise<void> {
  await refuseOtherProgram(db, engine)
  await sql
    .raw('create table if not exists schema_migrations (name text primary key, applied_at text not null)')
    .execute(db)
}

/** Brings the database to the present schema, and on a cluster also its tables to their nodes; returns the names of what was applied. */
export async function migrate(database: Database): Promise<string[]> {
  const applied = await applyMigrations(database)
  if (database.isDistributed) await layOut(database)
  return applied
}

const record = (db: Db, name: string) =>
  db.insertInto('schema_migrations').values({ name, applied_at: new Date().toISOString() }).execute()

/** Returns the names of the migrations that the database has; it records `initial` in place of the former list. */
async function settleRecord(db: Db, engine: EngineName): Promise<Set<string>> {
  const recorded = await appliedNames(db, engine)
  if (recorded.size === 0) await beginVault(db, engine)
  const applied = presentNames(recorded)
  if (beginsFormerList(recorded)) {
    await db.deleteFrom('schema_migrations').where('name', 'in', FORMER_LIST).execute()
    await record(db, initial.name)
  }
  return applied
}

/** Applies what is pending, all or nothing, under a lock. */
export function applyMigrations(database: Database, migrations = MIGRATIONS): Promise<string[]> {
  return database.transaction(
    async (db) => {
      await acquireLock(db, database.engine, 'migration')
      const applied = await settleRecord(db, database.engine)
      refuseNewer(applied, migrations)
      const pending = migrations.filter((migration) => !applied.has(migration.name))
      for (const migration of pending) {
        for (const statement of migration.statements(database.engine)) await sql.raw(statement).execute(db)
        await migration.data?.(db, database.engine)
        await record(db, migration.name)
      }
      return pending.map((migration) => migration.name)
    },
    // Large tables take their time, and so does waiting for another process that migrates.
    { isolation: 'read committed', mayTakeLong: true },
  )
}

/** Returns the names of the applied migrations, none for a database that was never migrated. */
export const appliedMigrations = async ({ read, engine }: Database): Promise<string[]> => [
  ...presentNames(await appliedNames(read, engine)),
]

export async function pendingMigrations(db: Db): Promise<number> {
  const rows = await db.selectFrom('schema_migrations').select('name').execute()
  const applied = presentNames(new Set(rows.map((row) => row.name)))
  return MIGRATIONS.filter((migration) => !applied.has(migration.name)).length
}

/** For a program that reads the tables as this version has them, and leaves the schema as it is. */
export async function requirePresentSchema(database: Database, migrations = MIGRATIONS): Promise<void> {
  const applied = new Set(await appliedMigrations(database))
  // Otherwise a mistyped address would fill a database of something else with the tables of a vault.
  if (applied.size === 0) throw new NoVault()
  refuseNewer(applied, migrations)
  if (applied.size < migrations.length)
    throw new SchemaTooOld('This vault is of an older version. Make a backup, then start the service once.')
}
