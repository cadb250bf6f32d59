export type LimitState = { limit: number; remaining: number; resetSeconds: number; exceeded: boolean }

export type Limits = {
  /** Counts one use of `key` and tells how much is left in the current minute. */
  hit: (key: string, perMinute: number) => LimitState
}

const WINDOW_MS = 60_000
/** Enough for every active caller of a minute; past it the whole minute starts anew rather than growing. */
const MAX_KEYS = 100_000

/** Fixed one-minute windows in this process's memory: no write per request, and exact for one process. */
export function memoryLimits(now: () => number = Date.now): Limits {
  let windowStart = 0
  let counts = new Map<string, number>()
  return {
    hit(key, perMinute) {
      const time = now()
      if (time - windowStart >= WINDOW_MS || counts.size > MAX_KEYS) {
        windowStart = time
        counts = new Map()
      }
      const used = (counts.get(key) ?? 0) + 1
      counts.set(key, used)
      return {
        limit: perMinute,
        remaining: Math.max(0, perMinute - used),
        resetSeconds: Math.max(1, Math.ceil((windowStart + WINDOW_MS - time) / 1000)),
        exceeded: used > perMinute,
      }
    },
  }
}

export const noLimits: Limits = {
  hit: (_key, perMinute) => ({
    limit: perMinute,
    remaining: perMinute,
    resetSeconds: 60,
    exceeded: false,
  }),
}
