import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import { BlockList, isIP, Server as Listener, type Socket } from 'node:net'
import { setImmediate } from 'node:timers'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TrustedProxies } from '../../config.ts'
import { AppError, unavailable } from '../../core/errors.ts'
import type { Database } from '../../db/db.ts'
import { errorBody, sendError } from './errors.ts'

/** No real request passes more proxies than this. */
const MAX_STATIONS = 20
const GROUPS_OF_A_NETWORK = 4
const GROUPS = 8

/** Whether the `hop`-th address, counted from here, is a trusted proxy. */
export type IsTrusted = (address: string, hop: number) => boolean

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** IPv4 written as IPv6 is IPv4; a zone belongs to the machine that wrote it. */
const plain = (address: string): string =>
  address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')

function networksOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    if (bits === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(bits), familyOf(address))
  }
  return list
}

export function trustIn(proxies: TrustedProxies | undefined): IsTrusted | undefined {
  if (!proxies) return undefined
  if ('hops' in proxies) return (_address, hop) => hop < proxies.hops
  const list = networksOf(proxies.networks)
  return (address) => isIP(plain(address)) !== 0 && list.check(plain(address), familyOf(plain(address)))
}

/** An address as proxies write it, perhaps with a port; undefined if it is not one. */
function readAddress(text: string): string | undefined {
  const trimmed = text.trim()
  const bare = /^\[([^\]]+)\](:\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed
  const address = plain(bare)
  return isIP(address) ? address : undefined
}

/** One household or machine has a whole /64 of IPv6 addresses to draw from, so they count as one host. */
export function hostOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.toLowerCase().split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : Math.max(0, GROUPS - front.length - back.length)
  const groups = [...front, ...Array<string>(zeros).fill('0'), ...back]
  const network = groups.slice(0, GROUPS_OF_A_NETWORK).map((group) => group.replace(/^0+(?=.)/, ''))
  return `${network.join(':')}::/64`
}

/**
 * The host that a request counts for. X-Forwarded-For is read from its end, where our own proxies write, and only as far as
 * they are trusted: everything before that is the client's own claim.
 */
export function clientHost(request: IncomingMessage, isTrusted: IsTrusted | undefined): string {
  let address = plain(request.socket.remoteAddress ?? 'unknown')
  if (!isTrusted) return hostOf(address)
  const stations = String(request.headers['x-forwarded-for'] ?? '').split(',')
  for (let hop = 0; hop < Math.min(stations.length, MAX_STATIONS) && isTrusted(address, hop); hop++) {
    const next = readAddress(stations[stations.length - 1 - hop] ?? '')
    if (next === undefined) break
    address = next
  }
  return hostOf(address)
}

/** How long a connection may take for what, in milliseconds; and how many there may be. */
export const TIMEOUTS = {
  /** All headers of a request. */
  headersMs: 20_000,
  /** A whole request, with its body. */
  requestMs: 60_000,
  /**
   * Nothing at all from or to a client. A request that waits so long is answered (answer-in-time.ts): before the 30 s after
   * which many clients and proxies give up.
   */
  silenceMs: 28_000,
  /** Until the next request on the same connection. */
  keepAliveMs: 30_000,
  /** A client that does not read its answer, or only very slowly. */
  readerMs: 30_000,
  /** How often slow readers are looked for. */
  lookMs: 5000,
  /** Open connections when the service stops: what comes on them meanwhile is still answered. */
  drainMs: 250,
  /** Requests that run when the service stops, the time above included. A client that dawdles must not make the stop a failed one. */
  stopMs: 10_000,
  /** Connections of one process. Further ones are closed, so that file handles are left for files and the database. */
  connections: 10_000,
}

export type Timeouts = typeof TIMEOUTS

/** A client that reads slower than this, measured over `readerMs`, is cut off. */
const SLOWEST_BYTES_A_SECOND = 1024

type Progress = { taken: number; at: number }

export type Connections = {
  /** Ends those that never sent a byte, such as the ones a browser opens in advance. Closing the server waits for them. */
  endSilent: () => void
  stopLooking: () => void
}

/**
 * Cuts off clients that do not read. Node's own limits end when the request has arrived, and its limit on silence
 * starts again with each byte that is read: a client that reads a byte now and then would keep a large answer open
 * for days.
 */
export function watchConnections(server: Server, { readerMs, lookMs }: Timeouts): Connections {
  const sockets = new Map<Socket, Progress>()
  server.on('connection', (socket: Socket) => {
    sockets.set(socket, { taken: 0, at: performance.now() })
    socket.once('close', () => sockets.delete(socket))
  })
  const leastTaken = (SLOWEST_BYTES_A_SECOND * readerMs) / 1000
  const look = () => {
    const now = performance.now()
    for (const [socket, progress] of sockets) {
      const taken = socket.bytesWritten - socket.writableLength
      if (socket.writableLength === 0 || taken - progress.taken >= leastTaken)
        sockets.set(socket, { taken, at: now })
      else if (now - progress.at >= readerMs) socket.destroy()
    }
  }
  const timer = setInterval(look, lookMs).unref()
  return {
    endSilent: () => {
      for (const socket of sockets.keys()) if (socket.bytesRead === 0) socket.destroy()
    },
    stopLooking: () => clearInterval(timer),
  }
}

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

const STOPPING = unavailable('The server is stopping. Try again in a moment.', 2)
const LOOK_MS = 100

/** Takes no new connections. The server's own `close` would also end at once those on which a request is on its way. */
async function drain(server: Server, drainMs: number): Promise<void> {
  if (!server.listening) return
  Listener.prototype.close.call(server)
  // The event comes earlier than the end of the time if no connection is left.
  await once(server, 'close', { signal: AbortSignal.timeout(drainMs) }).catch(() => {})
}

/**
 * When the server is told to stop, it still answers what comes on open connections for a moment, with `Connection: close`,
 * so that a client that has just sent a request does not lose it. Then it refuses further requests and ends idle
 * connections. Fastify would refuse in a form of its own (`return503OnClosing`). Call it after `drainRefusedBodies`, which
 * keeps a connection whose body was read.
 */
export function closeInOrder(app: FastifyInstance, { drainMs }: Timeouts): void {
  let isStopping = false
  let isRefusing = false
  let look: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    isStopping = true
    await drain(app.server, drainMs)
    isRefusing = true
    // Node closes idle connections once. One that still had a request then would stay until its client leaves.
    look = setInterval(() => app.server.closeIdleConnections(), LOOK_MS)
  })
  app.addHook('onClose', async () => clearInterval(look))
  app.addHook('onRequest', (_request, reply, done) => {
    if (isRefusing) sendError(reply, STOPPING)
    else done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping) reply.header('connection', 'close')
    done(null, payload)
  })
}

const TOO_LATE = unavailable(
  'The answer takes too long. If you asked for a change, check whether it was made before you repeat it.',
  2,
)

/** An answer that was prepared, such as a stream without its first byte, may have a type, a length or a file name. */
function dropHeaders(reply: FastifyReply): void {
  for (const name of Object.keys(reply.getHeaders())) {
    reply.removeHeader(name)
    reply.raw.removeHeader(name)
  }
}

function answerLate(request: FastifyRequest, reply: FastifyReply, socket: Socket): void {
  // The client is slow, not we: it still sends its request, or reads its answer.
  if (!request.raw.complete || reply.raw.headersSent) {
    socket.destroy()
    return
  }
  dropHeaders(reply)
  sendError(reply.header('connection', 'close'), TOO_LATE)
}

/**
 * Answers a request that has waited for as long as its connection may be silent (`silenceMs`), where Node would close the
 * connection. Each single wait is shorter, but a request may have many: in a queue, for a connection, statements, other
 * hosts, and all of it again after a conflict.
 */
export function answerInTime(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('timeout', (socket: Socket) => answerLate(request, reply, socket))
    done()
  })
}

/** How much of a refused body is read and thrown away. Beyond either limit the connection is closed. */
const MOST_BYTES = 64 * 1024 * 1024
const LONGEST_MS = 10_000

/** Reads to the end of the body, or to a limit; returns whether the end was reached. */
function drainRest(body: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    let left = MOST_BYTES
    const count = (chunk: Buffer) => {
      left -= chunk.length
      if (left < 0) stop()
    }
    const stop = () => {
      clearTimeout(timer)
      body.off('data', count).off('end', stop).off('error', stop).off('close', stop)
      resolve(body.complete || body.readableEnded)
    }
    const timer = setTimeout(stop, LONGEST_MS)
    body.on('data', count).once('end', stop).once('error', stop).once('close', stop)
    body.resume()
  })
}

/**
 * Lets a refusal reach a client that is still sending. Fastify closes the connection when it refuses a body, and most clients
 * send all of a body before they read: they would see a broken pipe instead of the 413. So the answer waits for the
 * rest of the body, within limits; if the whole body came, the connection stays open for the next request.
 */
export function drainRefusedBodies(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { raw } = request
    const isSending = !raw.complete && !raw.readableEnded && !raw.destroyed
    const isCut = reply.getHeader('connection') === 'close' && isSending
    if (!isCut || Number(request.headers['content-length'] ?? 0) > MOST_BYTES) {
      done(null, payload)
      return
    }
    drainRest(raw).then((isWhole) => {
      if (isWhole) reply.removeHeader('connection')
      done(null, payload)
    }, done)
  })
}

const NO_HOST = new AppError(400, 'bad_request', 'A request of HTTP/1.1 needs the header Host.')

/**
 * What Node refuses by itself has no body and no `X-Request-Id`. So a missing `Host` is refused here, with
 * `requireHostHeader` off, and an `Expect` that Node does not know has no effect: it asks for nothing that changes an
 * answer (RFC 9110, 10.1.1).
 */
export function replaceNodeRefusals(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (raw.headers.host === undefined && raw.httpVersion === '1.1') done(NO_HOST)
    else done()
  })
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
}
