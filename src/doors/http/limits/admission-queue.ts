import { setImmediate } from 'node:timers'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { unavailable } from '../../../core/errors.ts'
import type { Database } from '../../../db/db.ts'
import { errorBody } from '../errors.ts'

/**
 * How long one iteration of the event loop admits requests. Node accepts about one new connection per iteration, so
 * an iteration that serves hundreds of requests would shut out new connections and health checks.
 */
const ADMIT_MS = 10
/** Refuse new requests once the oldest queued one has waited this long: a later answer helps nobody. */
export const LONGEST_WAIT_MS = 500
/** The same for the database. It is longer, because retried transactions delay the others for a while. */
export const LONGEST_DATABASE_WAIT_MS = 1000
const RETRY_AFTER_SECONDS = 2
/** Made once: a refusal must cost next to nothing. */
const REFUSAL = JSON.stringify(
  errorBody(unavailable('The server has more to do than it can. Try again in a moment.')),
)
/** An admitted request goes on in ticks. After this many, most have finished or wait for something. */
const TICKS = 4

type Enter = (since: number) => void
type Waiting = { enter: Enter; since: number }

/** Admits requests in the order of their arrival. */
class AdmissionQueue {
  readonly #now: () => number
  readonly #waiting: Waiting[] = []
  #admittingSince: number | undefined

  constructor(now: () => number) {
    this.#now = now
  }

  waitMs(): number {
    const [first] = this.#waiting
    return first ? this.#now() - first.since : 0
  }

  /** Admits at once if nobody waits and this iteration has time left. */
  join(enter: Enter): void {
    const now = this.#now()
    if (this.#admittingSince === undefined) {
      this.#admittingSince = now
      setImmediate(() => this.#admitWaiting())
    }
    if (this.#waiting.length === 0 && now - this.#admittingSince < ADMIT_MS) enter(now)
    else this.#waiting.push({ enter, since: now })
  }

  async #admitWaiting(): Promise<void> {
    let idleSince = this.#now()
    while (this.#waiting.length > 0) {
      // At least as long as reading and refusing took. Otherwise a flood of refusals would stop the queue.
      const began = this.#now()
      const until = began + Math.max(ADMIT_MS, began - idleSince)
      do {
        const next = this.#waiting.shift()
        next?.enter(next.since)
        for (let tick = 0; tick < TICKS; tick++) await nextTick()
      } while (this.#waiting.length > 0 && this.#now() < until)
      idleSince = this.#now()
      await nextIteration()
    }
    this.#admittingSince = undefined
  }
}

const nextTick = () => new Promise<void>((resolve) => process.nextTick(resolve))
const nextIteration = () => new Promise<void>((resolve) => setImmediate(resolve))

const refuse = (reply: FastifyReply) =>
  void reply
    .code(503)
    .header('Retry-After', RETRY_AFTER_SECONDS)
    .type('application/json; charset=utf-8')
    .send(REFUSAL)

/**
 * Refuses requests that could not be answered in time. Health is always answered, and at once: a busy process must not be
 * taken for a dead one.
 */
export function shedLoad(
  app: FastifyInstance,
  database: Pick<Database, 'waitMs' | 'serve'>,
  now: () => number = () => performance.now(),
): void {
  const queue = new AdmissionQueue(now)
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/health')) return done()
    const work = request.method === 'GET' ? 'read' : 'write'
    if (queue.waitMs() > LONGEST_WAIT_MS || database.waitMs(work) > LONGEST_DATABASE_WAIT_MS) refuse(reply)
    // A client that has left meanwhile is not served.
    else queue.join((since) => (request.raw.socket.destroyed ? refuse(reply) : database.serve(since, done)))
  })
}
