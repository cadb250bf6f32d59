import { type DatabaseConnection, Kysely, PostgresDialect, type QueryExecutor } from 'kysely'
import type pg from 'pg'
import { type Db, rootHandleGuard } from '../db.ts'
import type { OnSlow } from '../prepared.ts'
import type { Schema } from '../schema.ts'
import { openPool, watchStatements } from './pool.ts'

const POLL_MS = 200
/** Maximum lag in ms; a replica with a larger lag is not read from. */
const MAX_STALENESS_MS = 1000
const WATCH_TIMEOUT_MS = 2000
const READ_TIMEOUT_MS = 10_000
const MAX_OWN_WRITES = 10_000
const FORGET_EVERY_MS = 60_000

type Position = bigint

// Every acknowledged commit is flushed, and only flushed WAL reaches a replica.
const PRIMARY_STATE = `select (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::text as position,
  system_identifier::text || '/' || current_database() as database from pg_control_system()`

const REPLICA_STATE = `select pg_is_in_recovery() as follows,
  coalesce(pg_last_wal_replay_lsn() - '0/0'::pg_lsn, 0)::text as position,
  system_identifier::text || '/' || current_database() as database from pg_control_system()`

// Sorted by user, so that two of these statements cannot deadlock.
const NOTE_WRITES = `insert into write_positions as known (user_id, position, written_at)
  select user_id, pg_current_wal_flush_lsn(), now() from unnest($1::text[]) as user_id order by user_id
  on conflict (user_id) do update set
    position = greatest(known.position, excluded.position), written_at = excluded.written_at
  returning (position - '0/0'::pg_lsn)::text as position`

const LAST_WRITE = `select (position - '0/0'::pg_lsn)::text as position from write_positions where user_id = $1`

// A minute is enough: a replica with a larger lag is not read from at all.
const FORGET_WRITES = `delete from write_positions where written_at < now() - interval '1 minute'`

type Goal = { setAt: number; position: Position }

type PrimaryState = { position: string; database: string }
type ReplicaState = PrimaryState & { follows: boolean }

const larger = (a: Position, b: Position) => (a > b ? a : b)

type ReplicaOptions = {
  url: string
  poolSize: number
  primary: { url: string; pool: pg.Pool; settings: pg.PoolConfig }
  onIdleError: (error: Error) => void
  onChange: (usable: boolean, reason: string) => void
  isUnavailable: (error: unknown) => boolean
  onSlow: OnSlow | undefined
}

/** Sends reads to a replica that has all of the person's writes and a short lag, else to the primary. */
export class Replica {
  readonly #options: ReplicaOptions
  readonly #pool: pg.Pool
  /** Separate connections: in the request queue the watch would take a busy server for a dead one. */
  readonly #watches: { primary: pg.Pool; replica: pg.Pool }
  readonly #viaReplica: QueryExecutor
  readonly #timer: NodeJS.Timeout
  #polling: Promise<void> | undefined
  #replayed: Position = 0n
  /** The replica has everything that was acknowledged before this time. */
  #completeAsOf = Number.NEGATIVE_INFINITY
  #goal: Goal | undefined
  #distrustedAt = Number.NEGATIVE_INFINITY
  #reason = 'not seen yet'
  #toldUsable = false
  #forgottenAt = 0
  readonly #ownWrites = new Map<string, Position>()
  #everybodysWrite: Position = 0n

  constructor(options: ReplicaOptions) {
    this.#options = options
    const { url, poolSize, primary, onIdleError } = options
    const pool = (overrides: pg.PoolConfig) => openPool({ ...primary.settings, ...overrides }, onIdleError)
    const watch = { max: 1, connectionTimeoutMillis: WATCH_TIMEOUT_MS, query_timeout: WATCH_TIMEOUT_MS }
    this.#pool = pool({
      connectionString: url,
      max: poolSize,
      connectionTimeoutMillis: WATCH_TIMEOUT_MS,
      query_timeout: READ_TIMEOUT_MS,
    })
    if (options.onSlow) watchStatements(this.#pool, options.onSlow)
    this.#watches = {
      primary: pool({ ...watch, connectionString: primary.url }),
      replica: pool({ ...watch, connectionString: url }),
    }
    this.#viaReplica = new Kysely<Schema>({
      dialect: new PostgresDialect({ pool: this.#pool }),
    }).getExecutor()
    this.#timer = setInterval(() => this.#watch(), POLL_MS).unref()
    this.#watch()
  }

  get usable(): boolean {
    return performance.now() - this.#completeAsOf <= MAX_STALENESS_MS
  }

  /** After a query went to the primary, later ones do too: the replica may lack what was read. */
  readFor(userId: string, primary: Db): Db {
    const viaPrimary = primary.getExecutor()
    let writtenElsewhere: Promise<Position> | undefined
    let hasReadPrimary = false
    const hasAllOf = async () => {
      if (!this.usable || this.#ownWrite(userId) > this.#replayed) return false
      writtenElsewhere ??= this.#lastWrite(userId)
      return larger(await writtenElsewhere, this.#ownWrite(userId)) <= this.#replayed
    }
    const connection: DatabaseConnection = {
      executeQuery: async (query) => {
        if (!hasReadPrimary && (await hasAllOf())) {
          try {
            return await this.#viaReplica.provideConnection((replica) => replica.executeQuery(query))
          } catch (error) {
            if (!this.#isToBlame(error)) throw error
            this.#distrust(String(error))
          }
        }
        hasReadPrimary = true
        return viaPrimary.provideConnection((primary) => primary.executeQuery(query))
      },
      streamQuery: () => {
        throw new Error('Reads are not streamed')
      },
    }
    const dialect = new PostgresDialect({ pool: this.#pool })
    return new Kysely<Schema>({
      config: { dialect, plugins: [rootHandleGuard] },
      dialect,
      driver: dialect.createDriver(),
      executor: viaPrimary.withConnectionProvider({ provideConnection: (consumer) => consumer(connection) }),
    })
  }

  /** Call after a commit and before the answer: every node then knows the position of these people's writes. */
  async wrote(userIds: readonly string[]): Promise<void> {
    if (userIds.length === 0) return
    try {
      const { rows } = await this.#options.primary.pool.query<{ position: string }>(NOTE_WRITES, [userIds])
      const position = rows.reduce((latest, row) => larger(latest, BigInt(row.position)), 0n)
      for (const userId of userIds) this.#ownWrites.set(userId, position)
      if (this.#ownWrites.size > MAX_OWN_WRITES) {
        this.#everybodysWrite = position
        this.#ownWrites.clear()
      }
    } catch (error) {
      this.#distrust(`a write could not be noted: ${error}`)
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#polling
    await Promise.all([this.#pool.end(), this.#watches.primary.end(), this.#watches.replica.end()])
  }

  #ownWrite(userId: string): Position {
    return larger(this.#ownWrites.get(userId) ?? 0n, this.#everybodysWrite)
  }

  async #lastWrite(userId: string): Promise<Position> {
    const { rows } = await this.#options.primary.pool.query<{ position: string }>(LAST_WRITE, [userId])
    return BigInt(rows[0]?.position ?? 0)
  }

  #isToBlame(error: unknown): boolean {
    if (!(error instanceof Error)) return false
    if (error.message === 'Query read timeout') return true
    const code = 'code' in error ? String(error.code) : ''
    // 25006 (write on a read handle) is a bug of ours and must show.
    if (code === '25006') return false
    return this.#options.isUnavailable(error) || code === '42P01' || code === '42703'
  }

  #distrust(reason: string): void {
    this.#completeAsOf = Number.NEGATIVE_INFINITY
    this.#goal = undefined
    this.#distrustedAt = performance.now()
    this.#reason = reason
  }

  #watch(): void {
    this.#polling ??= this.#poll().finally(() => {
      this.#polling = undefined
      if (this.usable === this.#toldUsable) return
      this.#toldUsable = this.usable
      this.#options.onChange(this.usable, this.#reason)
    })
  }

  async #poll(): Promise<void> {
    try {
      const setAt = performance.now()
      const [at] = (await this.#watches.primary.query<PrimaryState>(PRIMARY_STATE)).rows
      const [seen] = (await this.#watches.replica.query<ReplicaState>(REPLICA_STATE)).rows
      if (!at || !seen) return this.#distrust('no state')
      if (seen.database !== at.database) return this.#distrust('DATABASE_READ_URL is another database')
      if (!seen.follows) return this.#distrust('it is no replica, or was promoted')
      this.#follow(BigInt(seen.position), { setAt, position: BigInt(at.position) })
      if (setAt - this.#forgottenAt > FORGET_EVERY_MS) {
        this.#forgottenAt = setAt
        await this.#watches.primary.query(FORGET_WRITES)
      }
    } catch (error) {
      this.#distrust(String(error))
    }
  }

  #follow(replayed: Position, now: Goal): void {
    if (now.setAt < this.#distrustedAt) return
    this.#replayed = replayed
    const goal = replayed >= now.position ? now : (this.#goal ?? now)
    const reached = replayed >= goal.position
    if (reached) this.#completeAsOf = goal.setAt
    this.#goal = reached ? now : goal
    this.#reason = this.usable ? 'it follows' : 'it is too far behind'
    for (const [userId, position] of this.#ownWrites) if (position <= replayed) this.#ownWrites.delete(userId)
  }
}
