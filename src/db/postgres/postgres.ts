import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import {
  type Database,
  type Db,
  newTransactionMark,
  noteTakenCredentials,
  RunAgain,
  rootHandleGuard,
  runMarked,
  type TransactionOptions,
  takesCredentials,
} from '../db.ts'
import type { Schema } from '../schema.ts'
import {
  ConnectionQueue,
  openPool,
  runUnlimited,
  serveSince,
  TransactionQueue,
  TransactionQueues,
  WaitedTooLong,
} from './pool.ts'
import { Replica } from './replica.ts'

const CREDENTIALS_CHANNEL = 'credentials_taken'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

/**
 * Hears by LISTEN on a connection of its own when any node has taken a credential away. Without the connection it
 * knows nothing, says so, and comes back with a new version, since it cannot tell what it has missed.
 */
class CredentialNews {
  readonly #config: pg.ClientConfig
  readonly #onError: (error: Error) => void
  #version = 0
  #listening = false
  #started = false
  #closed = false
  #client: pg.Client | undefined
  #retry: NodeJS.Timeout | undefined
  #pauseMs = FIRST_PAUSE_MS

  constructor(config: pg.ClientConfig, onError: (error: Error) => void) {
    this.#config = config
    this.#onError = onError
  }

  add(): void {
    this.#version++
  }

  /** Starts to listen at the first call: a process that never asks needs no connection. */
  version(): number | undefined {
    if (!this.#started) {
      this.#started = true
      void this.#connect()
    }
    return this.#listening ? this.#version : undefined
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#retry)
    await this.#client?.end().catch(() => {})
  }

  async #connect(): Promise<void> {
    // No time limits: a connection that listens runs no statement and no transaction.
    const client = new pg.Client({ ...this.#config, keepAlive: true })
    this.#client = client
    client.on('notification', () => this.add())
    client.on('error', this.#onError)
    client.on('end', () => this.#lost(client))
    try {
      await client.connect()
      await client.query(`listen ${CREDENTIALS_CHANNEL}`)
      this.add()
      this.#listening = !this.#closed
      this.#pauseMs = FIRST_PAUSE_MS
    } catch (error) {
      this.#onError(error as Error)
      await client.end().catch(() => {})
      this.#lost(client)
    }
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    this.#listening = false
    if (this.#closed) return
    this.#retry = setTimeout(() => void this.#connect(), this.#pauseMs).unref()
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2)
  }
}

/** The coordinator's words when the only worker that was written to did not commit. It gives them no code of their own. */
const NOT_COMMITTED = /^could not commit transaction for shard/

type Query = (...args: unknown[]) => unknown

/**
 * When a worker refuses a commit, for instance as not serialisable, the coordinator sends its reason as a warning and then an
 * error that says nothing. The error gets the code of the warning, so that such a transaction runs again as any other. If the
 * worker has gone away there is no such warning: nobody knows whether it has committed, so nothing runs again.
 */
function nameRefusedCommits(client: pg.ClientBase, isRefusal: (code: string) => boolean): void {
  let refusal: string | undefined
  client.on('notice', ({ code }) => {
    if (code !== undefined && isRefusal(code)) refusal = code
  })
  const query = client.query.bind(client) as Query
  const commit = async (...args: unknown[]) => {
    refusal = undefined
    try {
      return await query(...args)
    } catch (error) {
      if (refusal !== undefined && error instanceof Error && NOT_COMMITTED.test(error.message))
        Object.assign(error, { code: refusal })
      throw error
    }
  }
  const watched: Query = (...args) => (args[0] === 'commit' ? commit(...args) : query(...args))
  Object.assign(client, { query: watched })
}

const MAX_TRIES = 20
/** After this many tries, a transaction waits for those before it however long: beside others it would go on to conflict. */
const TRIES_SIDE_BY_SIDE = 2
const INT8 = 20

/** int8 (counts, sums) as number: nothing here counts past 2^53. */
export const parsers = {
  getTypeParser: ((oid: number, format: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Not serialisable, or in a circle of locks. */
const isRefusal = (code: string) => code === '40001' || code === '40P01'

const mustRunAgain = (error: unknown) => error instanceof RunAgain || isRefusal(sqlState(error) ?? '')

/**
 * Also who may not connect (28) and a database that is gone (3D000): both are settings of the server, not of a request. A
 * statement that took too long (57014) has mostly waited for somebody's lock.
 */
const UNAVAILABLE =
  /^(08|28|3D000|53|57014|57P0|55P03|25006|ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)/

/** pg gives these no code. */
const UNAVAILABLE_WITHOUT_CODE =
  /^(Connection terminated|timeout exceeded when trying to connect|Client (has encountered a connection error|was closed) and is not queryable)/

const INTERNAL_ERROR = 'XX000'

/** A coordinator says so when a node of its cluster goes away in the middle of a statement, with no code of its own. */
const LOST_NODE =
  /^(SSL SYSCALL error|SSL connection has been closed|server closed the connection|connection not open|failure on connection marked as essential|could not commit transaction for shard)/

/** `allow_connections false`. The state alone also means other things, and the severity is in the server's language. */
export const isClosedDatabase = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '55000' && error.routine === 'CheckMyDatabase'

function isUnavailable(error: unknown): boolean {
  if (mustRunAgain(error) || isClosedDatabase(error) || error instanceof WaitedTooLong) return true
  const state = sqlState(error)
  if (state === INTERNAL_ERROR && error instanceof Error) return LOST_NODE.test(error.message)
  if (state !== undefined) return UNAVAILABLE.test(state)
  return error instanceof Error && UNAVAILABLE_WITHOUT_CODE.test(error.message)
}

/**
 * In a young vault PostgreSQL watches small tables and short indexes as a whole, so serialisable transactions that run
 * side by side conflict whatever they write. Those of one process therefore run one after the other. Most of the
 * frequent writes are `read committed` with locks of their own, and do not wait here.
 */
class Attempts {
  readonly #queue = new TransactionQueue()
  /**
   * A transaction that inserts a row and then names it in another table has watched the page where the next new rows go.
   * Two of these cannot each come after the other, and three can.
   */
  readonly #pairs = new TransactionQueues(2)

  async run<T>(work: () => Promise<T>, { isolation, twoAtOnce }: TransactionOptions): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        if (attempt > TRIES_SIDE_BY_SIDE) return await this.#queue.run(work, true)
        if (isolation === 'read committed') return await work()
        return await (twoAtOnce ? this.#pairs : this.#queue).run(work)
      } catch (error) {
        if (!mustRunAgain(error) || attempt === MAX_TRIES) throw error
        await sleep(Math.random() * Math.min(100, 2 ** attempt))
      }
    }
  }
}

export type PostgresOptions = {
  url: string
  /** A streaming replica of it, for reads. */
  readUrl?: string | undefined
  /** Set where `url` leads through a pooler of transactions: the same database without it. */
  directUrl?: string | undefined
  /** The URL is that of a Citus coordinator. */
  isDistributed?: boolean
  /** No statement has a time limit. Behind a pooler that holds for transactions alone. */
  isPatient?: boolean
  poolSize: number
  onIdleError: (error: Error) => void
  onReplicaChange?: (usable: boolean, reason: string) => void
}

/** Acknowledged means on disk, whatever the server's default says. */
const DURABLE = '-c synchronous_commit=on'

const SETTINGS: pg.PoolConfig = {
  types: parsers,
  application_name: 'knowledge-vault',
  connectionTimeoutMillis: 10_000,
  // Less than the silence after which a client is cut off (`silenceMs`): it gets an answer.
  statement_timeout: 25_000,
  idle_in_transaction_session_timeout: 60_000,
  // Plans that a connection keeps must not become much older than the tables.
  maxLifetimeSeconds: 300,
  options: DURABLE,
}

/** In one transaction a card and its team may be written: Citus refuses that after a statement that it ran on several shards at once. */
const CITUS_OPTIONS = '-c citus.multi_shard_modify_mode=sequential'

/** Said to the server, which may have a limit of its own for this user. */
const NO_LIMIT = '-c statement_timeout=0'

/** The name of the connections of a command, which is no server. */
const COMMAND = 'knowledge-vault command'

/** A pooler lends a connection for one transaction, so what belongs to a session is its own to set: see pooler.ts. */
const SETTINGS_BEHIND_POOLER: pg.PoolConfig = {
  types: parsers,
  application_name: 'knowledge-vault',
  connectionTimeoutMillis: 10_000,
}

/** A replica that was not promoted, or a server that its operator has set to read only. */
async function takesWrites(read: Db): Promise<boolean> {
  const { rows } = await sql<{ is: string }>`select current_setting('transaction_read_only') as is`.execute(
    read,
  )
  return rows[0]?.is === 'off'
}

/** pg takes `options` of a URL, such as a search_path, in place of ours. Both hold; where both name a setting, the URL's. */
const withOptions = (url: string, options: string): string =>
  url.replace(/[?&]options=/, (name) => `${name}${encodeURIComponent(`${options} `)}`)

function settingsFor({ url, directUrl, isDistributed, isPatient }: PostgresOptions): pg.PoolConfig {
  if (directUrl !== undefined)
    return {
      ...SETTINGS_BEHIND_POOLER,
      ...(isPatient ? { application_name: COMMAND } : {}),
      connectionString: url,
    }
  const options = [DURABLE, ...(isDistributed ? [CITUS_OPTIONS] : []), ...(isPatient ? [NO_LIMIT] : [])].join(
    ' ',
  )
  const limit = isPatient ? { statement_timeout: false as const, application_name: COMMAND } : {}
  return { ...SETTINGS, ...limit, options, connectionString: withOptions(url, options) }
}

function openReplica(options: PostgresOptions, pool: pg.Pool): Replica | undefined {
  const { url, readUrl, poolSize, onIdleError, onReplicaChange = () => {} } = options
  if (readUrl === undefined) return undefined
  return new Replica({
    url: readUrl,
    poolSize,
    primary: { url: options.directUrl ?? url, pool, settings: SETTINGS },
    onIdleError,
    onChange: onReplicaChange,
    isUnavailable,
  })
}

/** Behind a pooler the next transaction may be on another connection; a coordinator has connections of its own to its nodes. */
const isOwnConnection = ({ directUrl, isDistributed }: PostgresOptions) =>
  directUrl === undefined && !isDistributed

export function openPostgres(options: PostgresOptions): Database {
  const { url, poolSize, onIdleError, isPatient = false } = options
  const directUrl = options.directUrl ?? url
  const pool = openPool({ ...settingsFor(options), max: poolSize }, onIdleError, isPatient ? 0 : undefined)
  if (options.isDistributed) pool.on('connect', (client) => nameRefusedCommits(client, isRefusal))
  const queue = new ConnectionQueue(pool, { keepsPlans: isOwnConnection(options) })
  const attempts = new Attempts()
  const dialect = new PostgresDialect({ pool: queue })
  const read = new Kysely<Schema>({ dialect, plugins: [rootHandleGuard] })
  const write = new Kysely<Schema>({
    dialect,
    // Sees every statement, unlike plugins, which miss prepared and hand-written ones.
    log: ({ query }) => {
      if (takesCredentials(query.sql)) noteTakenCredentials()
    },
  })
  const news = new CredentialNews({ ...SETTINGS, connectionString: directUrl }, onIdleError)
  const replica = openReplica(options, pool)
  return {
    engine: 'postgres',
    isDistributed: options.isDistributed ?? false,
    read,
    readFor: (userId) => replica?.readFor(userId, read) ?? read,
    wrote: async (userIds) => replica?.wrote(userIds),
    waitMs: () => queue.waitMs(),
    serve: serveSince,
    transaction: async (fn, options = {}) => {
      const mark = newTransactionMark()
      const { isolation = 'serializable', mayTakeLong = isPatient } = options
      const run = () =>
        write
          .transaction()
          .setIsolationLevel(isolation)
          .execute(async (tx) => {
            if (mayTakeLong) await sql`set local statement_timeout = 0`.execute(tx)
            const result = await fn(tx)
            // Sent when it commits, to all nodes.
            if (mark.tookCredentials) await sql`select pg_notify(${CREDENTIALS_CHANNEL}, '')`.execute(tx)
            return result
          })
      const work = () => attempts.run(run, options)
      const result = await runMarked(mark, () => (mayTakeLong ? runUnlimited(work) : work()))
      if (mark.tookCredentials) news.add()
      return result
    },
    credentialsVersion: () => news.version(),
    takesWrites: () => takesWrites(read),
    isUniqueViolation: (error) => sqlState(error) === '23505',
    isUnavailable,
    close: async () => {
      await news.close()
      await replica?.close()
      await pool.end()
    },
  }
}
