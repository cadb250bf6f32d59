import { AsyncLocalStorage } from 'node:async_hooks'
import type { Socket } from 'node:net'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { keptPlans } from '../prepared.ts'

/** The server ends a statement after 25 s, and a transaction without one after 60 s. 0: none is too long. */
const LONGEST_SILENCE_MS = 60_000

const socketOf = ({ connection }: pg.PoolClient) => connection.stream as Socket

/**
 * Gives up a connection in use whose server says nothing: its host is gone after a failover, or something on the way has
 * forgotten the connection. The system notices that after a quarter of an hour or never, and would keep the whole pool.
 */
function giveUpSilent(pool: pg.Pool, longestMs: number): void {
  pool.on('connect', (client) => {
    const silent = Object.assign(new Error('The database has become silent'), { code: 'ETIMEDOUT' })
    socketOf(client).once('timeout', () => socketOf(client).destroy(silent))
  })
  pool.on('acquire', (client) => socketOf(client).setTimeout(longestMs))
  pool.on('release', (_error, client) => socketOf(client).setTimeout(0))
}

/**
 * A connection that breaks is replaced by the pool, and what was under way on it fails. But it may also break between two
 * queries of a transaction, when neither the pool nor a query listens: without a listener it would end the process.
 */
export function openPool(
  config: pg.PoolConfig,
  onBroken: (error: Error) => void,
  longestSilenceMs = LONGEST_SILENCE_MS,
): pg.Pool {
  const pool = new pg.Pool(config)
  pool.on('connect', (client) => client.on('error', onBroken))
  giveUpSilent(pool, longestSilenceMs)
  // The pool passes on what the connection itself has said.
  pool.on('error', () => {})
  return pool
}

const TOO_MANY_CONNECTIONS = '53300'
/** How long a connection that the server did not give is not asked for again. */
const REFUSED_MS = 1000

const isRefused = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === TOO_MANY_CONNECTIONS

export class WaitedTooLong extends Error {
  override readonly name = 'WaitedTooLong'
}

const requestSince = new AsyncLocalStorage<number>()

/** Remembers the arrival time of a request for everything that it does. */
export const serveSince = (since: number, serve: () => void): void => requestSince.run(since, serve)

const unlimited = new AsyncLocalStorage<true>()

/** For statements that the server does not end either: their connections may be silent for however long. */
export const runUnlimited = <T>(work: () => Promise<T>): Promise<T> => unlimited.run(true, work)

/** Has a connection keep the plans of the statements that ask for it. */
function keepPlans(client: PostgresPoolClient): void {
  const query = (...sent: unknown[]) => Reflect.apply(pg.Client.prototype.query, client, sent)
  const withName = (text: unknown, ...rest: unknown[]) => {
    const name = typeof text === 'string' ? keptPlans.get(text) : undefined
    return name === undefined ? query(text, ...rest) : query({ name, text, values: rest[0] })
  }
  client.query = withName as PostgresPoolClient['query']
}

type Waiter = { requestCame: number; joined: number; enter: () => void }

/**
 * Gives a free connection to the request that arrived first. A request needs several connections, one after the other.
 * In a plain queue, a request that is half done would wait behind every new one each time.
 */
export class ConnectionQueue implements PostgresPool {
  readonly #pool: pg.Pool
  readonly #patienceMs: number
  #free: number
  /** In the order in which their requests arrived. */
  readonly #order: Waiter[] = []
  /** In the order in which they joined the queue. */
  readonly #waiting = new Set<Waiter>()

  constructor(pool: pg.Pool, { keepsPlans = false } = {}) {
    this.#pool = pool
    if (keepsPlans) pool.on('connect', keepPlans as (client: pg.PoolClient) => void)
    this.#free = pool.options.max
    this.#patienceMs = pool.options.connectionTimeoutMillis ?? 0
  }

  get options(): pg.PoolOptions {
    return this.#pool.options
  }

  async connect(): Promise<PostgresPoolClient> {
    if (this.#free > 0) this.#free--
    else await this.#waitForConnection()
    try {
      const client = await this.#pool.connect()
      if (unlimited.getStore()) socketOf(client).setTimeout(0)
      const release = client.release
      client.release = (error) => {
        release(error)
        this.#next()
      }
      return client
    } catch (error) {
      // The server gives no more than there are, and those serve: the request waits for one of them.
      if (isRefused(error) && this.#pool.totalCount > 0) {
        setTimeout(() => this.#next(), REFUSED_MS).unref()
        return this.connect()
      }
      this.#next()
      throw error
    }
  }

  #waitForConnection(): Promise<void> {
    return new Promise((resolve, reject) => {
      const joined = performance.now()
      const giveUp = () => {
        this.#leave(waiter)
        reject(new WaitedTooLong('Waited too long for a connection to the database'))
      }
      const timer = setTimeout(giveUp, this.#patienceMs)
      const enter = () => {
        clearTimeout(timer)
        resolve()
      }
      const waiter = { requestCame: requestSince.getStore() ?? joined, joined, enter }
      const later = this.#order.findLastIndex((other) => other.requestCame <= waiter.requestCame)
      this.#order.splice(later + 1, 0, waiter)
      this.#waiting.add(waiter)
    })
  }

  #leave(waiter: Waiter): void {
    this.#order.splice(this.#order.indexOf(waiter), 1)
    this.#waiting.delete(waiter)
  }

  #next(): void {
    const [first] = this.#order
    if (!first) {
      this.#free++
      return
    }
    this.#leave(first)
    first.enter()
  }

  end(): Promise<void> {
    return this.#pool.end()
  }

  /** For how long the oldest waiter has waited. */
  waitMs(): number {
    const [first] = this.#waiting
    return first ? performance.now() - first.joined : 0
  }
}

/** Work that has taken this long is no longer waited for. */
const LONG_MS = 500
/** While somebody has waited this long, nobody else may come. */
const LONGEST_WAIT_MS = 3000

type Entry = { ended: Promise<void>; endedOrLong: Promise<void> }

/**
 * Lets work begin one after the other, in the order in which it came. One long piece of work does not keep the others:
 * they begin beside it.
 */
export class TransactionQueue {
  #last: Entry | undefined
  readonly #waiting = new Set<{ since: number }>()

  /** A patient one waits for the one before it, however long that takes, and is never refused. Nobody waits long for it. */
  async run<T>(work: () => Promise<T>, isPatient = false): Promise<T> {
    if (!isPatient && this.#waitMs() > LONGEST_WAIT_MS)
      throw new WaitedTooLong('Too many transactions wait in the queue')
    const before = this.#last
    const ended = Promise.withResolvers<void>()
    const endedOrLong = Promise.withResolvers<void>()
    const mine = { ended: ended.promise, endedOrLong: endedOrLong.promise }
    this.#last = mine
    if (before && !isPatient) await this.#wait(before.endedOrLong)
    const timer = setTimeout(endedOrLong.resolve, LONG_MS)
    if (isPatient) await before?.ended
    try {
      return await work()
    } finally {
      clearTimeout(timer)
      if (this.#last === mine) this.#last = undefined
      ended.resolve()
      endedOrLong.resolve()
    }
  }

  async #wait(before: Promise<void>): Promise<void> {
    const waiter = { since: performance.now() }
    this.#waiting.add(waiter)
    await before
    this.#waiting.delete(waiter)
  }

  /** How long the one that has waited longest has waited. */
  #waitMs(): number {
    const [first] = this.#waiting
    return first ? performance.now() - first.since : 0
  }
}

/** The same with several queues, so that as many run side by side. */
export class TransactionQueues {
  readonly #queues: readonly TransactionQueue[]
  #next = 0

  constructor(count: number) {
    this.#queues = Array.from({ length: count }, () => new TransactionQueue())
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    const queue = this.#queues[this.#next] as TransactionQueue
    this.#next = (this.#next + 1) % this.#queues.length
    return queue.run(work)
  }
}
