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
import type { OnSlow } from '../prepared.ts'
import type { Schema } from '../schema.ts'
import {
  ConnectionQueue,
  openPool,
  runUnlimited,
  serveSince,
  TransactionQueue,
  TransactionQueues,
  WaitedTooLong,
  watchStatements,
} from './pool.ts'
import { Replica } from './replica.ts'

const CREDENTIALS_CHANNEL = 'credentials_taken'

const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 5_000

/** A new connection gets a new version, because news of revoked credentials may have been missed. */
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

  /** Returns the version; the first call starts to listen. */
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
    // No timeouts: a listening connection runs no statement and no transaction.
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
    this.#pauseMs = Math.min(MAX_PAUSE_MS, this.#pauseMs * 2)
  }
}

/** The coordinator's message, without a code, when the only written worker did not commit. */
const NOT_COMMITTED = /^could not commit transaction for shard/

type Query = (...args: unknown[]) => unknown

/**
 * The coordinator sends the reason only as a warning, so the error takes its code and the transaction runs
 * again. A lost worker sends none: its commit is uncertain, so nothing runs again.
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
/** After this many tries, a transaction waits for all before it: beside others it would conflict again. */
const TRIES_SIDE_BY_SIDE = 2
const INT8 = 20

/** Parses int8 (counts, sums) as a number: no value here exceeds 2^53. */
export const parsers = {
  getTypeParser: ((oid: number, format: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Serialisation failure (40001) or deadlock (40P01). */
const isRefusal = (code: string) => code === '40001' || code === '40P01'

const mustRunAgain = (error: unknown) => error instanceof RunAgain || isRefusal(sqlState(error) ?? '')

/** 28 (may not connect) and 3D000 (no database) are wrong settings; 57014 mostly means a lock. */
const UNAVAILABLE =
  /^(08|28|3D000|53|57014|57P0|55P03|25006|ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)/

/** pg's messages without a code. */
const UNAVAILABLE_WITHOUT_CODE =
  /^(Connection terminated|timeout exceeded when trying to connect|Client (has encountered a connection error|was closed) and is not queryable)/

const INTERNAL_ERROR = 'XX000'

/** The coordinator's message, without a code, when a node goes away during a statement. */
const LOST_NODE =
  /^(SSL SYSCALL error|SSL connection has been closed|server closed the connection|connection not open|failure on connection marked as essential|could not commit transaction for shard)/

/** Whether `allow_connections` is false: the SQLSTATE is ambiguous and the severity is localised. */
export const isClosedDatabase = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '55000' && error.routine === 'CheckMyDatabase'

function isUnavailable(error: unknown): boolean {
  if (mustRunAgain(error) || isClosedDatabase(error) || error instanceof WaitedTooLong) return true
  const state = sqlState(error)
  if (state === INTERNAL_ERROR && error instanceof Error) return LOST_NODE.test(error.message)
  if (state !== undefined) return UNAVAILABLE.test(state)
  return error instanceof Error && UNAVAILABLE_WITHOUT_CODE.test(error.message)
}

/** Orders transactions: PostgreSQL locks small tables as a whole, so concurrent ones would conflict. */
class Attempts {
  readonly #queue = new TransactionQueue()
  /** Two at most: only three inserting transactions can conflict on the page of the newest rows. */
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

type PostgresOptions = {
  url: string
  readUrl?: string | undefined
  /** Set where `url` leads through a transaction pooler: the same database without the pooler. */
  directUrl?: string | undefined
  isDistributed?: boolean
  /** No statement timeout. Behind a pooler this holds only for transactions. */
  isPatient?: boolean
  poolSize: number
  onIdleError: (error: Error) => void
  onReplicaChange?: (usable: boolean, reason: string) => void
  onSlow?: OnSlow
}

/** A commit is acknowledged only when it is on disk, whatever the server's default. */
const DURABLE = '-c synchronous_commit=on'

const SETTINGS: pg.PoolConfig = {
  types: parsers,
  application_name: 'knowledge-vault',
  connectionTimeoutMillis: 10_000,
  // Shorter than the client timeout (`idleTimeoutMs`), so that the client still gets an answer.
  statement_timeout: 25_000,
  idle_in_transaction_session_timeout: 60_000,
  // Kept plans must not become much older than the tables.
  maxLifetimeSeconds: 300,
  options: DURABLE,
}

/** Citus otherwise refuses to write a card and its team after a statement on several shards at once. */
const CITUS_OPTIONS = '-c citus.multi_shard_modify_mode=sequential'

/** Sent explicitly: the server may set a limit for this user. */
const NO_LIMIT = '-c statement_timeout=0'

const COMMAND = 'knowledge-vault command'

/** A pooler lends a connection for one transaction, so session settings belong to the pooler (pooler.ts). */
const SETTINGS_BEHIND_POOLER: pg.PoolConfig = {
  types: parsers,
  application_name: 'knowledge-vault',
  connectionTimeoutMillis: 10_000,
}

async function takesWrites(read: Db): Promise<boolean> {
  const { rows } = await sql<{ is: string }>`select current_setting('transaction_read_only') as is`.execute(
    read,
  )
  return rows[0]?.is === 'off'
}

/** Merges `options` of the URL with ours, because pg would keep only the URL's; the URL wins. */
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
    onSlow: options.onSlow,
    isUnavailable,
  })
}

const isOwnConnection = ({ directUrl, isDistributed }: PostgresOptions) =>
  directUrl === undefined && !isDistributed

export function openPostgres(options: PostgresOptions): Database {
  const { url, poolSize, onIdleError, isPatient = false } = options
  const directUrl = options.directUrl ?? url
  const pool = openPool({ ...settingsFor(options), max: poolSize }, onIdleError, isPatient ? 0 : undefined)
  if (options.onSlow) watchStatements(pool, options.onSlow)
  if (options.isDistributed) pool.on('connect', (client) => nameRefusedCommits(client, isRefusal))
  const queue = new ConnectionQueue(pool, { keepsPlans: isOwnConnection(options) })
  const attempts = new Attempts()
  const dialect = new PostgresDialect({ pool: queue })
  const read = new Kysely<Schema>({ dialect, plugins: [rootHandleGuard] })
  const write = new Kysely<Schema>({
    dialect,
    // Sees every statement; plugins miss prepared and hand-written ones.
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
            // PostgreSQL sends the notification at the commit, to all nodes.
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
