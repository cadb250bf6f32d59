import { sql } from 'kysely'
import type { Database, Db } from './db.ts'
import { DISTRIBUTION } from './distribution.ts'
import { holdLock } from './locks.ts'

type ForeignKey = { name: string; table: string; definition: string }

async function foreignKeys(db: Db): Promise<ForeignKey[]> {
  const { rows } = await sql<ForeignKey>`
    select conname as name, conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace
  `.execute(db)
  return rows
}

async function tablesLaidOut(db: Db): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select logicalrelid::text as name from pg_dist_partition
  `.execute(db)
  return new Set(rows.map((row) => row.name))
}

/**
 * Citus also learns of tables that stay on the coordinator. Otherwise it would not know that a transaction has written there
 * as well as on a worker, and the worker could keep what the coordinator refuses.
 */
async function layOutTable(db: Db, table: string, by: string): Promise<void> {
  if (by === 'single') {
    await sql`select citus_add_local_table_to_metadata(${table}::regclass)`.execute(db)
    return
  }
  if (by === 'reference') await sql`select create_reference_table(${table}::regclass)`.execute(db)
  else await sql`select create_distributed_table(${table}::regclass, ${by})`.execute(db)
  // Rows of a restored backup are on their nodes now. The coordinator's own copy of them is seen by nobody, and goes.
  await sql`select truncate_local_data_after_distributing_table(${table}::regclass)`.execute(db)
}

/**
 * Distributes the tables over the nodes of a cluster, as distribution.ts says. Tables that are in the right form stay.
 * Foreign keys are dropped meanwhile, because Citus refuses to move one end of a key while the other is elsewhere.
 */
export function layOut(database: Database): Promise<string[]> {
  return database.transaction(
    async (db) => {
      await holdLock(db, database.engine, 'migration')
      // Our triggers read only their own row, so they are safe on a shard.
      await sql`set local citus.enable_unsafe_triggers = on`.execute(db)
      await sql`set local citus.multi_shard_modify_mode = 'sequential'`.execute(db)
      const done = await tablesLaidOut(db)
      const pending = Object.entries(DISTRIBUTION).filter(([table]) => !done.has(table))
      if (pending.length === 0) return []
      const keys = await foreignKeys(db)
      for (const { name, table } of keys)
        await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(db)
      for (const [table, by] of pending) await layOutTable(db, table, by)
      for (const { name, table, definition } of keys)
        await sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(
          db,
        )
      return pending.map(([table]) => table)
    },
    { isolation: 'read committed', mayTakeLong: true },
  )
}
