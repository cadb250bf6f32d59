import { setImmediate } from 'node:timers/promises'
import type { Pieces } from '../shared/pieces.ts'

/**
 * Returns a function to await between pieces of long work: it resolves at once while the slice lasts, else after one
 * iteration of the event loop, so that other requests are answered meanwhile.
 */
export function makeYielder(sliceMs = 10): () => Promise<void> {
  let began = performance.now()
  return async () => {
    if (performance.now() - began < sliceMs) return
    await setImmediate()
    began = performance.now()
  }
}

/** Charges a caller for processor time. */
export type Meter = {
  charge: (ms: number) => void
  /** Waits for other long work of the same caller. Refuses if their minute is spent meanwhile. Returns what ends the turn. */
  takeTurn: () => Promise<() => void>
}

const FREE: Meter = { charge: () => {}, takeTurn: async () => () => {} }

/** A call that works longer than this waits for its turn among the calls of its caller. */
const SHORT_MS = 10

/** The texts that one call analyses: charged by processor time, in pieces, each text once. */
export class Work {
  readonly #meter: Meter
  readonly #results = new Map<string, Map<string, unknown>>()
  readonly #yield = makeYielder()
  #spentMs = 0
  #mayWait = false
  #endTurn: (() => void) | undefined

  constructor(meter: Meter = FREE) {
    this.#meter = meter
  }

  /** Runs a short piece of work and charges it. */
  measure<T>(run: () => T): T {
    const before = process.threadCpuUsage()
    try {
      return run()
    } finally {
      const { user, system } = process.threadCpuUsage(before)
      const ms = (user + system) / 1000
      this.#spentMs += ms
      this.#meter.charge(ms)
    }
  }

  /** Lets others go on if this call has worked for long. Never waits for a turn inside a transaction. */
  async pause(): Promise<void> {
    if (this.#mayWait && !this.#endTurn && this.#spentMs > SHORT_MS)
      this.#endTurn = await this.#meter.takeTurn()
    await this.#yield()
  }

  async inPieces<T>(pieces: Pieces<T>): Promise<T> {
    for (;;) {
      const { done, value } = this.measure(() => pieces.next())
      await this.pause()
      if (done) return value
    }
  }

  /**
   * Returns what an analysis says about a text. The result is kept for the rest of the call, so that work done before a
   * transaction is not done again inside it. `analysis` names `analyse`.
   */
  async about<T>(analysis: string, text: string, analyse: (text: string) => Pieces<T>): Promise<T> {
    const results = this.#results.get(analysis) ?? new Map<string, unknown>()
    this.#results.set(analysis, results)
    if (!results.has(text)) results.set(text, await this.inPieces(analyse(text)))
    return results.get(text) as T
  }

  /** For all that comes before a transaction: the long work of one caller is done one call after another. */
  async inTurn<T>(run: () => Promise<T>): Promise<T> {
    this.#mayWait = true
    try {
      return await run()
    } finally {
      this.#mayWait = false
      this.#endTurn?.()
      this.#endTurn = undefined
    }
  }
}
