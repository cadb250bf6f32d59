import { sql } from 'kysely'
import type { Db, EngineName } from './db.ts'

/** Advisory locks of PostgreSQL, all in one list so that no two mean different things by one number. */
const LOCKS = {
  /** One process migrates; the others wait and find it done. */
  migration: 7_205_759,
  /** Processes that fold documents into counts and lists go one after the other. */
  searchIndex: 7_205_760,
  /** Processes that index cards again go one after the other. */
  reindex: 7_205_761,
  /** Two like cards published at once must not both find the library without them. */
  publishing: 7_205_762,
  /** One process makes the snapshot of the library, with one key. */
  librarySnapshot: 7_205_763,
  /** A server that starts and a change of the secret key go one after the other. */
  secretKey: 7_205_764,
} as const

export type LockName = keyof typeof LOCKS

/** Holds the lock until the transaction ends. SQLite has one writer at a time, so there it holds already. */
export async function holdLock(db: Db, engine: EngineName, name: LockName): Promise<void> {
  if (engine === 'postgres') await sql`select pg_advisory_xact_lock(${LOCKS[name]})`.execute(db)
}

/** Locks of which there is one for each id: two numbers, so that they are never taken for one of those above. */
const LOCKS_BY_ID = {
  /** Two writers that both find no project of a name must not both make one, or give that name to one. */
  projectNames: 1,
  /** Two pulls into one workspace must not both find it without a card. */
  pulls: 2,
  /** Two decisions about cards of one owner must not both find that person without a ban. */
  bans: 3,
} as const

/** The same for one id. Two ids may share a lock by chance; then one of them waits a moment longer. */
export async function holdLockOf(
  db: Db,
  engine: EngineName,
  name: keyof typeof LOCKS_BY_ID,
  id: string,
): Promise<void> {
  if (engine === 'postgres')
    await sql`select pg_advisory_xact_lock(${LOCKS_BY_ID[name]}, hashtext(${id}))`.execute(db)
}

/** How many connections servers, and backups that run, have to this database. Commands have another name. */
export async function otherServers(db: Db): Promise<number> {
  const { rows } = await sql<{ count: string | number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and application_name in ('knowledge-vault', 'knowledge-vault backup')
  `.execute(db)
  return Number(rows[0]?.count)
}
