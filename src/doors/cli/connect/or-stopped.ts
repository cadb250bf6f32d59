import { CommandError } from '../exit-codes.ts'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * Waits for something that Ctrl+C ends as an error, so that what was begun is taken back. A second Ctrl+C ends the program
 * at once.
 */
export async function orStopped<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ended = new AbortController()
  let stop = () => {}
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(new CommandError('Stopped.'))
  })
  for (const signal of SIGNALS) process.once(signal, stop)
  try {
    return await Promise.race([work(ended.signal), stopped])
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop)
    ended.abort()
  }
}
