import { transcode } from 'node:buffer'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { limitHeaders } from '../../core/limits.ts'
import { compressText, encodingFor, MIN_COMPRESSED, weakTag } from './compression.ts'
import type { RouteTimes } from './metrics.ts'

/** Logs one line per answer, with the route's pattern: paths and queries may carry tokens. */
function logAnswer(
  log: Logger,
  request: FastifyRequest,
  { url, operation }: RouteName,
  status: number,
  ms: number,
): void {
  log.info(
    {
      request_id: request.id,
      method: request.method,
      route: url,
      ...(operation === '' ? {} : { operation }),
      status,
      ms: Math.round(ms * 10) / 10,
      user_id: request.viewer?.userId,
    },
    'answered',
  )
}

/** Fastify gets no logger, because it would make one for every request. */
export class FailureLog extends LogController {
  readonly #log: Logger

  constructor(log: Logger) {
    super({ disableRequestLogging: true })
    this.#log = log
  }

  override streamError(error: Error & { code?: string }, request: FastifyRequest): void {
    const line = { request_id: request.id, err: error }
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') this.#log.info(line, 'the client left before the end')
    else this.#log.warn(line, 'an answer broke off')
  }
}

const API_POLICY = "default-src 'none'; frame-ancestors 'none'"

const JSON_TYPE = 'application/json; charset=utf-8'

function commonHeaders(config: Config): Record<string, string> {
  const headers: Record<string, string> = {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': API_POLICY,
  }
  // Without `includeSubDomains`: hosts below this one are not the vault's and may have no HTTPS.
  if (config.baseUrl.startsWith('https:')) headers['strict-transport-security'] = 'max-age=31536000'
  return headers
}

const LONG_TEXT = 4096

/** Encodes by way of UTF-16, which is faster; the text must not contain half a surrogate pair. */
const bytesOf = (json: string): Buffer => transcode(Buffer.from(json, 'utf16le'), 'utf16le', 'utf8')

/** Names and values alternate. */
export type FlatHeaders = string[]

type RouteName = { url: string; operation: string }

export type Answer = { status: number; text: string; headers?: FlatHeaders | undefined }

/** Sets headers, counts and logs every answer. */
export class Answers {
  readonly #common: Record<string, string>
  readonly #times: RouteTimes
  readonly #log: Logger | undefined

  constructor(config: Config, times: RouteTimes, log: Logger) {
    this.#common = commonHeaders(config)
    this.#times = times
    this.#log = log.isLevelEnabled('info') ? log : undefined
  }

  /** Adds the hooks. Call it before the routes are added. */
  attend(app: FastifyInstance): void {
    const after = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
      this.#note(request, nameOf(request), reply.statusCode, reply.elapsedTime)
      done()
    }
    app.addHook('onRoute', (route) => {
      if (!route.config?.isCapability) route.onResponse = [after, ...[route.onResponse ?? []].flat()]
    })
    app.addHook('onSend', (request, reply, _payload, done) => {
      this.setHeaders(request, reply)
      if (request.routeOptions.config.isCapability)
        this.#note(request, nameOf(request), reply.statusCode, elapsedSince(request))
      done()
    })
  }

  /** Handles an answer that no hook sees. Call it once the status is set. */
  attendUnrouted(request: FastifyRequest, reply: FastifyReply): void {
    this.setHeaders(request, reply)
    this.#note(request, nameOf(request), reply.statusCode, elapsedSince(request))
  }

  setHeaders(request: FastifyRequest, reply: FastifyReply): void {
    if (!reply.hasHeader('x-request-id')) {
      for (const name in this.#common) if (!reply.hasHeader(name)) reply.header(name, this.#common[name])
      reply.header('x-request-id', request.id)
      if (request.url.startsWith('/api/') && !reply.hasHeader('cache-control'))
        reply.header('cache-control', 'no-store')
    }
    if (request.limit && !reply.hasHeader('ratelimit-limit')) reply.headers(limitHeaders(request.limit))
  }

  /** Sends the answer of a capability, compressed if it is long and may be. */
  send(request: FastifyRequest, reply: FastifyReply, answer: Answer, mayCompress: boolean): void {
    const { text } = answer
    const isLong = mayCompress && text.length >= MIN_COMPRESSED
    const sendPlain = () => {
      if (isLong) reply.header('vary', 'accept-encoding')
      write(reply, answer, text.length >= LONG_TEXT ? bytesOf(text) : text)
    }
    const encoding = isLong ? encodingFor(request) : undefined
    if (!encoding) {
      sendPlain()
      return
    }
    compressText(text, encoding, (body) => {
      // The request timed out during compression (`answerInTime`).
      if (reply.sent) return
      if (!body) {
        sendPlain()
        return
      }
      const own = answer.headers?.map((value, at, all) => (all[at - 1] === 'ETag' ? weakTag(value) : value))
      reply.headers({ vary: 'accept-encoding', 'content-encoding': encoding })
      write(reply, { ...answer, headers: own }, body)
    })
  }

  #note(request: FastifyRequest, route: RouteName, status: number, ms: number): void {
    this.#times.add(request.method, route.url, status, ms / 1000)
    if (this.#log) logAnswer(this.#log, request, route, status, ms)
  }
}

function write(reply: FastifyReply, { status, headers = [] }: Answer, body: string | Buffer): void {
  for (let at = 0; at < headers.length; at += 2) reply.header(headers[at] as string, headers[at + 1])
  reply.code(status)
  if (status === 204) reply.send()
  else reply.header('content-type', JSON_TYPE).send(body)
}

function nameOf(request: FastifyRequest): RouteName {
  const { url = 'unknown', config } = request.routeOptions
  return { url, operation: config.operation ?? '' }
}

/** Returns the milliseconds since the request reached its route; zero if the request was refused earlier. */
const elapsedSince = ({ startedAt }: FastifyRequest) => (startedAt === 0 ? 0 : performance.now() - startedAt)
