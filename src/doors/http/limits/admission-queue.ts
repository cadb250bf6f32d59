import { setImmediate } from 'node:timers'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { unavailable } from '../../../core/errors.ts'
import type { Database } from '../../../db/db.ts'
import { errorBody } from '../errors.ts'

/**
 * How long one turn of the event loop goes on letting requests in. New connections are accepted at about
 * one a turn, everything else is read and answered in between: a turn that serves hundreds shuts newcomers and health checks out.
 */
const TURN_MS = 10
/** Refuse new requests once the oldest queued one has waited this long: a later answer helps nobody. */
export const LONGEST_WAIT_MS = 500
/** The same for the database, where transactions that must run again hold others up for a while. */
export const LONGEST_DATABASE_WAIT_MS = 1000
const RETRY_AFTER_SECONDS = 2
/** Made once: a refusal must cost next to nothing. */
const REFUSAL = JSON.stringify(
  errorBody(unavailable('The server has more to do than it can. Try again in a moment.')),
)
/** A request runs on by ticks when it has been let in; by then most have done their work or wait for something. */
const TICKS = 4

type Enter = (since: number) => void
type Waiting = { enter: Enter; since: number }

/** Requests in the order in which they came, let in as the process gets to them. */
class Line {
  readonly #now: () => number
  readonly #waiting: Waiting[] = []
  #turnBegan: number | undefined

  constructor(now: () => number) {
    this.#now = now
  }

  waitMs(): number {
    const [first] = this.#waiting
    return first ? this.#now() - first.since : 0
  }

  /** Lets in at once while the turn is young and nobody waits. */
  join(enter: Enter): void {
    const now = this.#now()
    if (this.#turnBegan === undefined) {
      this.#turnBegan = now
      setImmediate(() => this.#endTurn())
    }
    if (this.#waiting.length === 0 && now - this.#turnBegan < TURN_MS) enter(now)
    else this.#waiting.push({ enter, since: now })
  }

  async #endTurn(): Promise<void> {
    let idleSince = this.#now()
    while (this.#waiting.length > 0) {
      // At least as long as reading and refusing took: a flood must not leave the line standing.
      const began = this.#now()
      const until = began + Math.max(TURN_MS, began - idleSince)
      do {
        const next = this.#waiting.shift()
        next?.enter(next.since)
        for (let tick = 0; tick < TICKS; tick++) await nextTick()
      } while (this.#waiting.length > 0 && this.#now() < until)
      idleSince = this.#now()
      await nextTurn()
    }
    this.#turnBegan = undefined
  }
}

const nextTick = () => new Promise<void>((resolve) => process.nextTick(resolve))
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

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
  const line = new Line(now)
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/health')) return done()
    const work = request.method === 'GET' ? 'read' : 'write'
    if (line.waitMs() > LONGEST_WAIT_MS || database.waitMs(work) > LONGEST_DATABASE_WAIT_MS) refuse(reply)
    // Who has left meanwhile is not served.
    else line.join((since) => (request.raw.socket.destroyed ? refuse(reply) : database.serve(since, done)))
  })
}
