import { sql } from 'kysely'
import type { Db } from '../../db.ts'

/** How many connections servers, and backups that run, have to this database. Commands have another name. */
export async function otherServers(db: Db): Promise<number> {
  const { rows } = await sql<{ count: string | number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and application_name in ('knowledge-vault', 'knowledge-vault backup')
  `.execute(db)
  return Number(rows[0]?.count)
}
