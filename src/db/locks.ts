import { sql } from 'kysely'
import type { Db, EngineName } from './db.ts'

/** Numbers of PostgreSQL's advisory locks, in one list so that no two meanings share a number. */
const LOCKS = {
  /** One process migrates; the others wait. */
  migration: 7_205_759,
  /** One process at a time folds documents into counts and posting lists. */
  searchIndex: 7_205_760,
  /** One process at a time indexes cards again. */
  reindex: 7_205_761,
  /** Two similar cards published at once must not both miss each other in the library. */
  publishing: 7_205_762,
  /** Only one process makes a library snapshot, with one key. */
  librarySnapshot: 7_205_763,
  /** A starting server and a change of the secret key must not overlap. */
  secretKey: 7_205_764,
} as const

type LockName = keyof typeof LOCKS

/** Holds the lock until the transaction ends. On SQLite the single writer already holds it. */
export async function acquireLock(db: Db, engine: EngineName, name: LockName): Promise<void> {
  if (engine === 'postgres') await sql`select pg_advisory_xact_lock(${LOCKS[name]})`.execute(db)
}

/** Locks per id: PostgreSQL's two-number form cannot collide with the locks above. */
const LOCKS_BY_ID = {
  /** Two writers that both find no project of a name must not both create one, or give one that name. */
  projectNames: 1,
  /** Two pulls must not both find the workspace without the card. */
  pulls: 2,
  /** Two decisions about cards of one owner must not both find that person without a ban. */
  bans: 3,
} as const

/** Holds the lock of one id. Two ids may share a lock by chance, which only costs a wait. */
export async function acquireLockOf(
  db: Db,
  engine: EngineName,
  name: keyof typeof LOCKS_BY_ID,
  id: string,
): Promise<void> {
  if (engine === 'postgres')
    await sql`select pg_advisory_xact_lock(${LOCKS_BY_ID[name]}, hashtext(${id}))`.execute(db)
}

export async function otherServers(db: Db): Promise<number> {
  const { rows } = await sql<{ count: string | number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and application_name in ('knowledge-vault', 'knowledge-vault backup')
  `.execute(db)
  return Number(rows[0]?.count)
}
