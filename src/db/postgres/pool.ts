import { AsyncLocalStorage } from 'node:async_hooks'
import type { Socket } from 'node:net'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { keptPlans, type OnSlow, tellIfSlow } from '../prepared.ts'

/** In ms, for a silent server; the server ends statements after 25 s, idle transactions after 60 s. */
const MAX_SILENCE_MS = 60_000

const socketOf = ({ connection }: pg.PoolClient) => connection.stream as Socket

/** Closes a connection to a silent server: TCP notices a failover after 15 minutes or never. */
function giveUpSilent(pool: pg.Pool, longestMs: number): void {
  pool.on('connect', (client) => {
    const silent = Object.assign(new Error('The database has become silent'), { code: 'ETIMEDOUT' })
    socketOf(client).once('timeout', () => socketOf(client).destroy(silent))
  })
  pool.on('acquire', (client) => socketOf(client).setTimeout(longestMs))
  pool.on('release', (_error, client) => socketOf(client).setTimeout(0))
}

/** Without an error listener, a connection that breaks inside a transaction would end the process. */
export function openPool(
  config: pg.PoolConfig,
  onBroken: (error: Error) => void,
  longestSilenceMs = MAX_SILENCE_MS,
): pg.Pool {
  const pool = new pg.Pool(config)
  pool.on('connect', (client) => client.on('error', onBroken))
  giveUpSilent(pool, longestSilenceMs)
  // The connection's own listener already handles the error.
  pool.on('error', () => {})
  return pool
}

/** Tells the slow statements of a pool. Call it before the pool gets other listeners. */
export function watchStatements(pool: pg.Pool, onSlow: OnSlow): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...sent: unknown[]) => unknown
    const watched = (...sent: unknown[]) => {
      const [first] = sent
      const text = typeof first === 'string' ? first : (first as pg.QueryConfig).text
      const began = performance.now()
      const result = query(...sent)
      const tell = () => tellIfSlow(onSlow, text, began)
      if (result instanceof Promise) result.then(tell, tell)
      return result
    }
    client.query = watched as typeof client.query
  })
}

const TOO_MANY_CONNECTIONS = '53300'
/** Pause in ms before the server is asked again for a connection that it refused. */
const REFUSED_MS = 1000

const isRefused = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === TOO_MANY_CONNECTIONS

export class WaitedTooLong extends Error {
  override readonly name = 'WaitedTooLong'
}

const requestSince = new AsyncLocalStorage<number>()

/** Runs a request with its arrival time, which orders the connection queue. */
export const serveSince = (since: number, serve: () => void): void => requestSince.run(since, serve)

const unlimited = new AsyncLocalStorage<true>()

/** Runs statements without a timeout: their connections may be silent for any time. */
export const runUnlimited = <T>(work: () => Promise<T>): Promise<T> => unlimited.run(true, work)

function keepPlans(client: PostgresPoolClient): void {
  const query = client.query.bind(client) as (...sent: unknown[]) => never
  const withName = (text: unknown, ...rest: unknown[]) => {
    const name = typeof text === 'string' ? keptPlans.get(text) : undefined
    return name === undefined ? query(text, ...rest) : query({ name, text, values: rest[0] })
  }
  client.query = withName as PostgresPoolClient['query']
}

type Waiter = { requestCame: number; joined: number; enter: () => void }

/** Oldest request first: each needs several connections, and would queue behind new requests again. */
export class ConnectionQueue implements PostgresPool {
  readonly #pool: pg.Pool
  readonly #patienceMs: number
  #free: number
  /** Waiters in the order in which their requests arrived. */
  readonly #order: Waiter[] = []
  /** Waiters in the order in which they joined the queue. */
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
      // The server has no more connections, so the request waits for an existing one.
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

  waitMs(): number {
    const [first] = this.#waiting
    return first ? performance.now() - first.joined : 0
  }
}

/** Work that runs longer than this (ms) no longer blocks the queue. */
const LONG_MS = 500
/** If somebody has waited this long (ms), new work is refused. */
const MAX_WAIT_TIME_MS = 3000

type Entry = { ended: Promise<void>; endedOrLong: Promise<void> }

export class TransactionQueue {
  #last: Entry | undefined
  readonly #waiting = new Set<{ since: number }>()

  /** Runs work in turn; patient work waits without a limit and is never refused. */
  async run<T>(work: () => Promise<T>, isPatient = false): Promise<T> {
    if (!isPatient && this.#waitMs() > MAX_WAIT_TIME_MS)
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

  #waitMs(): number {
    const [first] = this.#waiting
    return first ? performance.now() - first.since : 0
  }
}

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
