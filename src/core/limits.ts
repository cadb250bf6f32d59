export type LimitState = { limit: number; remaining: number; resetSeconds: number; exceeded: boolean }

export const limitHeaders = ({ limit, remaining, resetSeconds }: Omit<LimitState, 'exceeded'>) => ({
  'RateLimit-Limit': String(limit),
  'RateLimit-Remaining': String(remaining),
  'RateLimit-Reset': String(resetSeconds),
})

export type Limits = {
  /** Counts `amount` uses of `key` and returns what is left in its current minute. */
  hit: (key: string, perMinute: number, amount?: number) => LimitState
  /**
   * Counts a use across all processes, on PostgreSQL those of all nodes, so that a burst gets no more than the
   * limit.
   */
  hitTogether: (key: string, perMinute: number) => LimitState | Promise<LimitState>
  /** Counts a use at once on this node, and within a second or two on the others. */
  hitAmongNodes: (key: string, perMinute: number) => LimitState
  /** Returns the state of a limit without counting. */
  look: (key: string, perMinute: number) => LimitState
  /** Counts uses that can no longer be refused. The next minutes pay for an excess. */
  owe: (key: string, perMinute: number, amount: number) => void
  /** Raises the count of `key` to that of all nodes, whose window ends in `msLeft`. */
  raise: (key: string, uses: number, msLeft: number) => void
}

/** Uses counted in one process that its siblings must add. */
export type CountedUses = [key: string, windowStart: number, uses: number, owedPerMinute?: number][]

type SharedLimits = Limits & {
  /** Adds uses that a sibling process has counted. */
  absorb: (uses: CountedUses) => void
}

const WINDOW_MS = 60_000
const MAX_KEYS = 100_000
const KEPT_BY_SWEEP = 0.9 * MAX_KEYS
/** In ms: short enough for a client's next request, long enough to batch under load. */
const SHARE_AFTER_MS = 2

type Window = { start: number; uses: number; lastsMs: number }

/** Drops ended windows, then the least used, so that a flood of new keys cannot clear other counts. */
function sweep(windows: Map<string, Window>, time: number): void {
  for (const [key, window] of windows) if (time - window.start >= window.lastsMs) windows.delete(key)
  for (let uses = 1; windows.size > KEPT_BY_SWEEP; uses *= 2)
    for (const [key, window] of windows) {
      if (windows.size <= KEPT_BY_SWEEP) break
      if (window.uses <= uses) windows.delete(key)
    }
}

/** Collects uses for a moment and shares them in one message. */
function sharingSoon(share: (uses: CountedUses) => void) {
  let unshared = new Map<string, { start: number; uses: number; owedPerMinute: number | undefined }>()
  const shareNow = () => {
    const uses = [...unshared].map(([key, { start, uses, owedPerMinute }]): CountedUses[number] =>
      owedPerMinute === undefined ? [key, start, uses] : [key, start, uses, owedPerMinute],
    )
    unshared = new Map()
    share(uses)
  }
  return (key: string, start: number, amount: number, owedPerMinute?: number): void => {
    if (unshared.size === 0) setTimeout(shareNow, SHARE_AFTER_MS).unref()
    const pending = unshared.get(key)
    if (pending) pending.uses += amount
    else unshared.set(key, { start, uses: amount, owedPerMinute })
  }
}

const stateOf = ({ start, uses, lastsMs }: Window, perMinute: number, time: number): LimitState => ({
  limit: perMinute,
  remaining: Math.max(0, perMinute - uses),
  resetSeconds: Math.max(1, Math.ceil((start + lastsMs - time) / 1000)),
  exceeded: uses > perMinute,
})

export function memoryLimits(
  share?: (uses: CountedUses) => void,
  now: () => number = Date.now,
): SharedLimits {
  const windows = new Map<string, Window>()
  const shareSoon = share && sharingSoon(share)

  function add(key: string, start: number, uses: number, time: number): Window {
    let window = windows.get(key)
    if (!window || time - window.start >= window.lastsMs) {
      if (windows.size > MAX_KEYS) sweep(windows, time)
      window = { start, uses: 0, lastsMs: WINDOW_MS }
      windows.set(key, window)
    }
    window.start = Math.min(window.start, start)
    window.uses += uses
    return window
  }

  function hit(key: string, perMinute: number, amount = 1): LimitState {
    const time = now()
    const window = add(key, time, amount, time)
    shareSoon?.(key, window.start, amount)
    return stateOf(window, perMinute, time)
  }

  function addOwed(key: string, start: number, uses: number, perMinute: number, time: number): Window {
    const window = add(key, start, uses, time)
    window.lastsMs = WINDOW_MS * Math.max(1, window.uses / perMinute)
    return window
  }

  return {
    hit,
    hitTogether: hit,
    hitAmongNodes: hit,
    look(key, perMinute) {
      const time = now()
      const window = windows.get(key)
      // After the clock was set back, a window that starts later would stay open too long.
      const isOpen = window !== undefined && window.start <= time && time - window.start < window.lastsMs
      return stateOf(isOpen ? window : { start: time, uses: 0, lastsMs: WINDOW_MS }, perMinute, time)
    },
    owe(key, perMinute, amount) {
      const time = now()
      const window = addOwed(key, time, amount, perMinute, time)
      shareSoon?.(key, window.start, amount, perMinute)
    },
    raise(key, uses, msLeft) {
      const time = now()
      const window = add(key, time + msLeft - WINDOW_MS, 0, time)
      window.uses = Math.max(window.uses, uses)
    },
    absorb(uses) {
      const time = now()
      for (const [key, start, count, owedPerMinute] of uses)
        if (owedPerMinute !== undefined) addOwed(key, start, count, owedPerMinute, time)
        else if (time - start < WINDOW_MS) add(key, start, count, time)
    },
  }
}
