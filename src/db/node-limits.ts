import { CompiledQuery } from 'kysely'
import { sha256 } from '../core/crypto.ts'
import type { LimitState, Limits } from '../core/limits.ts'
import type { Database } from './db.ts'
import type { Schema } from './schema.ts'

const SHARE_AFTER_MS = 1000

type Query = { text: string; values: unknown[] }
type Total = { consumedPoints: number; msBeforeNext: number }

const stateOf = ({ consumedPoints, msBeforeNext }: Total, perMinute: number): LimitState => ({
  limit: perMinute,
  remaining: Math.max(0, perMinute - consumedPoints),
  resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
  exceeded: consumedPoints > perMinute,
})

/** Returns a function that counts uses in the database. Keys are hashed, because they name hosts and people. */
async function counterIn({ read }: Database): Promise<(key: string, uses: number) => Promise<Total>> {
  const { RateLimiterPostgres } = await import('rate-limiter-flexible')
  const query = ({ text, values }: Query) => read.executeQuery(CompiledQuery.raw(text, values))
  const counter = new RateLimiterPostgres({
    storeClient: { query },
    storeType: 'client',
    tableName: 'rate_limits' satisfies keyof Schema,
    tableCreated: true,
    keyPrefix: '',
    points: 1,
    duration: 60,
  })
  return (key, uses) => counter.penalty(sha256(key), uses)
}

/** Collects uses for a second and adds them to the counts of all nodes. */
function sharingSoon(count: (key: string, uses: number) => Promise<Total>, raise: Limits['raise']) {
  let unshared = new Map<string, number>()
  let isDue = false
  const share = async () => {
    const counted = unshared
    unshared = new Map()
    try {
      for (const [key, uses] of counted) {
        const total = await count(key, uses)
        raise(key, total.consumedPoints, total.msBeforeNext)
      }
    } catch {
      // Without the database each node counts alone.
    }
    isDue = false
    if (unshared.size > 0) shareSoon()
  }
  const shareSoon = () => {
    if (isDue) return
    isDue = true
    setTimeout(share, SHARE_AFTER_MS).unref()
  }
  return (key: string): void => {
    unshared.set(key, (unshared.get(key) ?? 0) + 1)
    shareSoon()
  }
}

/**
 * Returns limits that hold for all nodes of a PostgreSQL database. Uses beyond the limit on one node cost no
 * query. Without the database, and on SQLite, a node counts alone.
 */
export async function limitsAmongNodes(database: Database, own: Limits): Promise<Limits> {
  if (database.engine === 'sqlite') return own
  const count = await counterIn(database)
  const share = sharingSoon(count, own.raise)
  return {
    ...own,
    hitTogether: async (key, perMinute) => {
      const here = own.hit(key, perMinute)
      if (here.exceeded) return here
      const total = await count(key, 1).catch(() => undefined)
      if (!total) return here
      own.raise(key, total.consumedPoints, total.msBeforeNext)
      return stateOf(total, perMinute)
    },
    hitAmongNodes: (key, perMinute) => {
      const here = own.hit(key, perMinute)
      if (!here.exceeded) share(key)
      return here
    },
  }
}
