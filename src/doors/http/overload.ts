import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import { unavailable } from '../../core/errors.ts'

const LOOK_EVERY_MS = 500
const RESOLUTION_MS = 20
/** By then a request waits seconds for its turn; answering it later helps nobody, and refusing is cheap. */
export const LONGEST_DELAY_MS = 1000

/** How long work waits for its turn in this process, smoothed, so that one long task does not count as overload. */
function eventLoopDelay(app: FastifyInstance): () => number {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  let smoothed = 0
  const timer = setInterval(() => {
    const mean = Number.isFinite(histogram.mean) ? histogram.mean / 1e6 : 0
    smoothed = (smoothed + Math.max(0, mean - RESOLUTION_MS)) / 2
    histogram.reset()
  }, LOOK_EVERY_MS).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    histogram.disable()
  })
  return () => smoothed
}

/**
 * Refuses requests while the process is so far behind that it could not answer them in time. Health is always
 * answered: a busy process must not be taken for a dead one.
 */
export function shedLoad(app: FastifyInstance, delayMs: () => number = eventLoopDelay(app)): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (delayMs() <= LONGEST_DELAY_MS || request.url.startsWith('/health')) done()
    else done(unavailable('The server has more to do than it can. Try again in a moment.', 2))
  })
}
