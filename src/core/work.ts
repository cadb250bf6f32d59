import { setImmediate } from 'node:timers/promises'
import type { Pieces } from '../shared/pieces.ts'

/** Returns a function to await in long work: after each slice, other requests run. */
export function makeYielder(sliceMs = 10): () => Promise<void> {
  let began = performance.now()
  return async () => {
    if (performance.now() - began < sliceMs) return
    await setImmediate()
    began = performance.now()
  }
}

export type Meter = {
  charge: (ms: number) => void
  /** Charges work that others do later, as bytes of an ordinary log that cost as much. */
  owe: (bytes: number) => void
  takeTurn: () => Promise<() => void>
}

const FREE: Meter = { charge: () => {}, owe: () => {}, takeTurn: async () => () => {} }

/** A call that works longer than this (ms) waits for its turn among the caller's calls. */
const SHORT_MS = 10

/** The text analyses of one call: charged by processor time, done in pieces, each text once. */
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

  owe(bytes: number): void {
    this.#meter.owe(bytes)
  }

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

  /** Yields to other requests after long work. Inside a transaction it never waits for a turn. */
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

  async about<T>(analysis: string, text: string, analyse: (text: string) => Pieces<T>): Promise<T> {
    const results = this.#results.get(analysis) ?? new Map<string, unknown>()
    this.#results.set(analysis, results)
    if (!results.has(text)) results.set(text, await this.inPieces(analyse(text)))
    return results.get(text) as T
  }

  /** Runs work before a transaction: long work of one caller runs one call after another. */
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
