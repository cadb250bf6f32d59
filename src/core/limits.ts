export type LimitState = { limit: number; remaining: number; resetSeconds: number; exceeded: boolean }

export type Limits = {
  /** Counts one use of `key` and tells how much is left in its current minute. */
  hit: (key: string, perMinute: number) => LimitState
}

/** Uses counted in one process that its siblings must know of. */
export type CountedUses = [key: string, windowStart: number, uses: number][]

export type SharedLimits = Limits & {
  /** Adds what a sibling process has counted. */
  absorb: (uses: CountedUses) => void
}

const WINDOW_MS = 60_000
/** Enough for every active caller of a minute; past it old windows are swept, and if need be all. */
const MAX_KEYS = 100_000
/** Soon enough that the next request of one client finds the count everywhere, seldom enough to cost nothing under load. */
const SHARE_AFTER_MS = 2

type Window = { start: number; uses: number }

/**
 * A minute's window per key, in memory: no write per request. The processes of one machine tell each other what
 * they count by `share`, so that a limit holds for the machine and not for each of its processes.
 */
export function memoryLimits(
  share?: (uses: CountedUses) => void,
  now: () => number = Date.now,
): SharedLimits {
  const windows = new Map<string, Window>()
  let unshared = new Map<string, Window>()

  function sweep(time: number): void {
    for (const [key, window] of windows) if (time - window.start >= WINDOW_MS) windows.delete(key)
    if (windows.size > MAX_KEYS) windows.clear()
  }

  function add(key: string, start: number, uses: number, time: number): Window {
    let window = windows.get(key)
    if (!window || time - window.start >= WINDOW_MS) {
      if (windows.size > MAX_KEYS) sweep(time)
      window = { start, uses: 0 }
      windows.set(key, window)
    }
    window.start = Math.min(window.start, start)
    window.uses += uses
    return window
  }

  function shareSoon(key: string, start: number): void {
    if (!share) return
    if (unshared.size === 0)
      setTimeout(() => {
        const uses = [...unshared].map(([key, window]): CountedUses[number] => [
          key,
          window.start,
          window.uses,
        ])
        unshared = new Map()
        share(uses)
      }, SHARE_AFTER_MS).unref()
    const pending = unshared.get(key)
    if (pending) pending.uses++
    else unshared.set(key, { start, uses: 1 })
  }

  return {
    hit(key, perMinute) {
      const time = now()
      const window = add(key, time, 1, time)
      shareSoon(key, window.start)
      return {
        limit: perMinute,
        remaining: Math.max(0, perMinute - window.uses),
        resetSeconds: Math.max(1, Math.ceil((window.start + WINDOW_MS - time) / 1000)),
        exceeded: window.uses > perMinute,
      }
    },
    absorb(uses) {
      const time = now()
      for (const [key, start, count] of uses) if (time - start < WINDOW_MS) add(key, start, count, time)
    },
  }
}
