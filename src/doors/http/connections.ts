import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import { BlockList, isIP, Server as Listener, type Socket } from 'node:net'
import { setImmediate } from 'node:timers'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TrustedProxies } from '../../config.ts'
import { AppError, unavailable } from '../../core/errors.ts'
import type { Database } from '../../db/db.ts'
import { errorBody, sendError } from './errors.ts'

/** Limit of addresses read from X-Forwarded-For. */
const MAX_STATIONS = 20
const GROUPS_OF_A_NETWORK = 4
const GROUPS = 8

/** Returns whether the `hop`-th address, counted from this server, is a trusted proxy. */
export type IsTrusted = (address: string, hop: number) => boolean

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Returns an address in plain form: IPv4 inside IPv6 becomes IPv4, and the zone is dropped. */
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

function readAddress(text: string): string | undefined {
  const trimmed = text.trim()
  const bare = /^\[([^\]]+)\](:\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed
  const address = plain(bare)
  return isIP(address) ? address : undefined
}

/** An IPv6 /64 counts as one host, because one household owns all of its addresses. */
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

/** Reads X-Forwarded-For from its end through the trusted proxies: clients can forge the rest. */
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

/** Time limits of a connection in milliseconds, and the number of connections. */
export const TIMEOUTS = {
  headersMs: 20_000,
  requestMs: 60_000,
  /** Answered before the 30 s after which many clients and proxies give up. */
  idleTimeoutMs: 28_000,
  /** Idle time between two requests. */
  keepAliveMs: 30_000,
  /** For a client that does not read its answer, or only very slowly. */
  readerMs: 30_000,
  lookMs: 5000,
  /** Time in which requests on open connections are still answered when the service stops. */
  drainMs: 250,
  /** Time for running requests when the service stops, including `drainMs`. */
  stopMs: 10_000,
  /** Per process; further ones are closed, so that file handles are left for files and the database. */
  connections: 10_000,
}

export type Timeouts = typeof TIMEOUTS

/** Limit measured over `readerMs`. A slower client is disconnected. */
const SLOWEST_BYTES_A_SECOND = 1024

type Progress = { taken: number; at: number }

type Connections = {
  /** Closing the server waits for connections that a browser opens in advance. */
  endSilent: () => void
  stopLooking: () => void
}

/** Disconnects clients that read one byte now and then, which Node's limits allow (slow-read attack). */
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

/** In ms: Node accepts about one connection per iteration, so more would shut out health checks. */
const ADMIT_MS = 10
/** New requests are refused once the oldest queued request has waited this long. */
export const MAX_WAIT_TIME_MS = 500
/** Longer than `MAX_WAIT_TIME_MS`, because retried transactions delay others for a while. */
export const MAX_DATABASE_WAIT_MS = 1000
const RETRY_AFTER_SECONDS = 2
const REFUSAL = JSON.stringify(
  errorBody(unavailable('The server has more to do than it can. Try again in a moment.')),
)
const TICKS = 4

type Enter = (since: number) => void
type Waiting = { enter: Enter; since: number }

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
      // Admits at least as long as refusing took; otherwise a flood of refusals would stop the queue.
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

/** Health is always answered at once, so that a busy process is not taken for a dead one. */
export function shedLoad(
  app: FastifyInstance,
  database: Pick<Database, 'waitMs' | 'serve'>,
  now: () => number = () => performance.now(),
): void {
  const queue = new AdmissionQueue(now)
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/health')) return done()
    const work = request.method === 'GET' ? 'read' : 'write'
    if (queue.waitMs() > MAX_WAIT_TIME_MS || database.waitMs(work) > MAX_DATABASE_WAIT_MS) refuse(reply)
    else queue.join((since) => (request.raw.socket.destroyed ? refuse(reply) : database.serve(since, done)))
  })
}

const STOPPING = unavailable('The server is stopping. Try again in a moment.', 2)
const LOOK_MS = 100

/** The server's own `close` would also end connections on which a request is arriving. */
async function drain(server: Server, drainMs: number): Promise<void> {
  if (!server.listening) return
  Listener.prototype.close.call(server)
  await once(server, 'close', { signal: AbortSignal.timeout(drainMs) }).catch(() => {})
}

/**
 * First answers with `Connection: close`, so that no request in flight is lost, then refuses. Call it after
 * `drainRefusedBodies`, which keeps a connection whose body was read.
 */
export function closeInOrder(app: FastifyInstance, { drainMs }: Timeouts): void {
  let isStopping = false
  let isRefusing = false
  let look: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    isStopping = true
    await drain(app.server, drainMs)
    isRefusing = true
    // Node closes idle connections only once; a busy one would stay until its client leaves.
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

function dropHeaders(reply: FastifyReply): void {
  for (const name of Object.keys(reply.getHeaders())) {
    reply.removeHeader(name)
    reply.raw.removeHeader(name)
  }
}

function answerLate(request: FastifyRequest, reply: FastifyReply, socket: Socket): void {
  // The client is slow: the request is still arriving, or the client is reading its answer.
  if (!request.raw.complete || reply.raw.headersSent) {
    socket.destroy()
    return
  }
  dropHeaders(reply)
  sendError(reply.header('connection', 'close'), TOO_LATE)
}

/** Answers after `idleTimeoutMs`, when Node would close the connection: many short waits may add up. */
export function answerInTime(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('timeout', (socket: Socket) => answerLate(request, reply, socket))
    done()
  })
}

/** Limit of a refused body that is read and thrown away. Beyond this limit the connection is closed. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_MS = 10_000

/** Reads to the end of the body or to a limit; returns whether the end was reached. */
function drainRest(body: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    let left = MAX_BYTES
    const count = (chunk: Buffer) => {
      left -= chunk.length
      if (left < 0) stop()
    }
    const stop = () => {
      clearTimeout(timer)
      body.off('data', count).off('end', stop).off('error', stop).off('close', stop)
      resolve(body.complete || body.readableEnded)
    }
    const timer = setTimeout(stop, MAX_MS)
    body.on('data', count).once('end', stop).once('error', stop).once('close', stop)
    body.resume()
  })
}

/** Most clients send the whole body before they read, so they would see a broken pipe, not the 413. */
export function drainRefusedBodies(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { raw } = request
    const isSending = !raw.complete && !raw.readableEnded && !raw.destroyed
    const isCut = reply.getHeader('connection') === 'close' && isSending
    if (!isCut || Number(request.headers['content-length'] ?? 0) > MAX_BYTES) {
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

/** Requires `requireHostHeader` off; an unknown `Expect` is ignored (RFC 9110, 10.1.1). */
export function replaceNodeRefusals(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (raw.headers.host === undefined && raw.httpVersion === '1.1') done(NO_HOST)
    else done()
  })
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
}
