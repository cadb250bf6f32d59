import { setImmediate } from 'node:timers'

/** Few enough that a slow one delays the others little, and that the event loop monitor sees the work. */
const MOST_TOGETHER = 8

/**
 * Collects work that arrives in one iteration of the event loop and does it in batches. A request is short and passes
 * through much code. If eight are read, then eight queries are made, each part is still in the processor's cache when it
 * is needed again. A request that comes alone waits for nothing.
 */
export function inBatches<T>(work: (item: T) => void): (item: T) => void {
  let waiting: T[] = []
  const doBatch = () => {
    const batch = waiting
    waiting = []
    for (const item of batch) work(item)
  }
  return (item) => {
    const length = waiting.push(item)
    if (length === MOST_TOGETHER) doBatch()
    else if (length === 1) setImmediate(doBatch)
  }
}
