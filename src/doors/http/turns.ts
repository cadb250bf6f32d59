import { setImmediate } from 'node:timers'

/**
 * Lets work that arrives in one turn of the event loop wait until all of it has arrived, and then runs it in a row. A request is short
 * and passes through much code: read eight, then ask the database eight times, and each part is still in the
 * processor's cache when it is needed again. A request that comes alone waits for nothing.
 */
export function inTurns<T extends unknown[]>(work: (...args: T) => void): (...args: T) => void {
  let waiting: T[] = []
  const run = () => {
    const now = waiting
    waiting = []
    for (const args of now) work(...args)
  }
  return (...args) => {
    if (waiting.push(args) === 1) setImmediate(run)
  }
}
