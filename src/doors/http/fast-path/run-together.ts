import { setImmediate } from 'node:timers'

/** Few enough that a long one holds nobody up for much, and that whoever watches the length of a turn sees them run. */
const MOST_TOGETHER = 8

/**
 * Lets work that arrives in one turn of the event loop wait until a few have arrived, or all that there are, and runs them in a row. A
 * request is short and passes through much code: read eight, then ask the database eight times, and each part is still
 * in the processor's cache when it is needed again. One that comes alone waits for nothing.
 */
export function inTurns<T>(work: (item: T) => void): (item: T) => void {
  let waiting: T[] = []
  const run = () => {
    const now = waiting
    waiting = []
    for (const item of now) work(item)
  }
  return (item) => {
    const length = waiting.push(item)
    if (length === MOST_TOGETHER) run()
    else if (length === 1) setImmediate(run)
  }
}
