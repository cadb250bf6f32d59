import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'

/**
 * A connection that breaks is replaced by the pool, and what was under way on it fails. But it may also break between two
 * queries of a transaction, when neither the pool nor a query listens: without a listener it would end the process.
 */
export function openPool(config: pg.PoolConfig, onBroken: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool(config)
  pool.on('connect', (client) => client.on('error', onBroken))
  // The pool passes on what the connection itself has said.
  pool.on('error', () => {})
  return pool
}

/** The pool, and since when those who wait for one of its connections have been waiting: it serves them in turn. */
export class WaitingLine implements PostgresPool {
  readonly #pool: pg.Pool
  readonly #since = new Set<{ at: number }>()

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  get options(): pg.PoolOptions {
    return this.#pool.options
  }

  async connect(): Promise<PostgresPoolClient> {
    const place = { at: performance.now() }
    this.#since.add(place)
    try {
      return await this.#pool.connect()
    } finally {
      this.#since.delete(place)
    }
  }

  end(): Promise<void> {
    return this.#pool.end()
  }

  waitMs(): number {
    const [first] = this.#since
    return first ? performance.now() - first.at : 0
  }
}
