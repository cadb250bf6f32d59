import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import Fastify from 'fastify'
import type { Config } from '../../config.ts'
import type { Capability, RawRoute } from '../../core/capability.ts'
import type { Services } from '../../core/context.ts'
import { Answers, FailureLog } from './answers.ts'
import { acceptJson } from './body.ts'
import { compressPages } from './compression.ts'
import {
  answerInTime,
  clientHost,
  closeInOrder,
  drainRefusedBodies,
  replaceNodeRefusals,
  shedLoad,
  TIMEOUTS,
  type Timeouts,
  trustIn,
  watchConnections,
} from './connections.ts'
import { handleErrors } from './errors.ts'
import { type MetricsOfAll, RouteTimes, serveMetrics } from './metrics.ts'
import { countPlainRoutes, refuseUnroutable, refuseWrongAddresses } from './not-found.ts'
import { describeApi } from './openapi.ts'
import { WorkMeters } from './rate-limit.ts'
import { serveRaw } from './raw.ts'
import { serveRest } from './rest.ts'
import { serveTools } from './tools.ts'
import { serveWeb } from './web.ts'

const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Knowledge Vault API</title>
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<link rel="icon" href="data:,">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui', deepLinking: true, docExpansion: 'none', defaultModelsExpandDepth: 0, validatorUrl: null })`

async function serveDocs(app: FastifyInstance, config: Config, doors: Doors): Promise<void> {
  let description: Buffer | undefined
  app.get('/openapi.json', { config: { operation: 'openapi', compress: true } }, async (_request, reply) => {
    description ??= Buffer.from(JSON.stringify(describeApi(doors, config.baseUrl)))
    return reply.type('application/json').send(description)
  })
  app.get('/docs', { config: { operation: 'docs', compress: true } }, async (_request, reply) =>
    reply.header('Content-Security-Policy', POLICY).type('text/html; charset=utf-8').send(PAGE),
  )
  app.get('/docs/start.js', { config: { operation: 'docs', compress: true } }, async (_request, reply) =>
    reply.type('text/javascript').send(START),
  )
  const require = createRequire(import.meta.url)
  await app.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, compress: true }
    })
    await scope.register(fastifyStatic, {
      root: join(dirname(require.resolve('@fastify/swagger-ui/package.json')), 'static'),
      prefix: '/docs/assets/',
      decorateReply: false,
      index: false,
    })
  })
}

const DEFAULT_BODY_LIMIT = 1024 * 1024
/** Node's 16 KiB is too small: a memory search may have 3,000 characters with up to 12 bytes each. */
const MAX_HEADER_BYTES = 64 * 1024
const SANE_REQUEST_ID = /^[\w.:-]{1,128}$/

/** Random once for each process. The rest of an id is a counter, which is faster and just as unique. */
const idPrefix = randomUUID().slice(0, 24)
let requests = 0

const nextRequestId = (): string => {
  requests++
  return idPrefix + requests.toString(16).padStart(12, '0')
}

/** Disables Fastify's own validation: capabilities check their inputs. */
const noSchemas = () => {
  throw new Error('A route has a schema; describe its input as a capability instead.')
}

type Doors = {
  capabilities: readonly Capability[]
  rawRoutes: readonly RawRoute[]
  serveMcp: (app: FastifyInstance) => Promise<void>
  shedding: boolean
  timeouts?: Partial<Timeouts> | undefined
  metricsOfAll?: MetricsOfAll | undefined
}

function newServer(services: Services, answers: Answers, timeouts: Timeouts): FastifyInstance {
  const isTrusted = trustIn(services.config.trustProxy)
  const app = Fastify({
    logController: new FailureLog(services.log),
    bodyLimit: DEFAULT_BODY_LIMIT,
    trustProxy: isTrusted ?? false,
    connectionTimeout: timeouts.idleTimeoutMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      requireHostHeader: false,
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.lookMs,
    },
    return503OnClosing: false,
    routerOptions: { maxParamLength: 1000, ignoreTrailingSlash: true },
    genReqId: (request) => {
      const given = request.headers['x-request-id']
      return typeof given === 'string' && SANE_REQUEST_ID.test(given) ? given : nextRequestId()
    },
    clientErrorHandler: answerBrokenHttp,
    frameworkErrors: refuseUnroutable(services, answers, isTrusted),
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
  })
  app.decorateRequest('viewer', null)
  app.decorateRequest('clientHost', {
    getter() {
      return clientHost(this.raw, isTrusted)
    },
  })
  app.decorateRequest('limit', null)
  app.decorateRequest('startedAt', 0)
  app.decorateRequest('bodyBytes', 0)
  const meters = new WorkMeters(services)
  app.decorateRequest('meter', {
    getter() {
      return meters.of(this)
    },
  })
  return app
}

export async function buildServer(services: Services, doors: Doors): Promise<FastifyInstance> {
  const timeouts = { ...TIMEOUTS, ...doors.timeouts }
  const times = new RouteTimes()
  const answers = new Answers(services.config, times, services.log)
  const app = newServer(services, answers, timeouts)
  app.server.maxConnections = timeouts.connections
  const connections = watchConnections(app.server, timeouts)
  app.addHook('onClose', async () => connections.stopLooking())
  answers.attend(app)
  compressPages(app)
  acceptJson(app, services)
  drainRefusedBodies(app)
  handleErrors(app, services)
  answerInTime(app)
  closeInOrder(app, timeouts)
  // Runs after connections that may still have a request arriving are closed.
  app.addHook('preClose', async () => connections.endSilent())
  replaceNodeRefusals(app)
  if (doors.shedding) shedLoad(app, services.database)
  const closeRoutes = refuseWrongAddresses(app, services)
  countPlainRoutes(app, services)
  serveMetrics(app, services.config, times, doors.metricsOfAll)
  serveRest(app, services, answers, doors.capabilities)
  serveTools(app, services, answers, doors.capabilities)
  await doors.serveMcp(app)
  await serveRaw(app, services, answers, doors.rawRoutes)
  await serveDocs(app, services.config, doors)
  await serveWeb(app, services)
  closeRoutes()
  return app
}

type RawSocket = { writable: boolean; end: (text: string) => void; destroy: () => void }

const NOT_HTTP = ['400 Bad Request', 'bad_request', 'The request could not be read as HTTP.'] as const
const BROKEN: Record<string, readonly [status: string, code: string, detail: string]> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'headers_too_large',
    `The address and the headers of a request have at most ${MAX_HEADER_BYTES / 1024} KiB together.`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    '408 Request Timeout',
    'request_timeout',
    'The request took too long to arrive.',
  ],
}

function answerBrokenHttp(error: Error & { code?: string }, socket: RawSocket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, code, detail] = BROKEN[error.code ?? ''] ?? NOT_HTTP
  const body = JSON.stringify({ detail, code })
  const headers = [
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `X-Request-Id: ${nextRequestId()}`,
    'Connection: close',
  ]
  socket.end(`HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n${body}`)
}
