import { WaitedTooLong } from './pool.ts'

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
