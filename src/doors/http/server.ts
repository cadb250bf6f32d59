import { randomUUID } from 'node:crypto'
import cookie from '@fastify/cookie'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Capability } from '../../core/capability.ts'
import type { Services } from '../../core/context.ts'
import { serveMcp } from '../mcp/http.ts'
import type { McpOptions } from '../mcp/protocol.ts'
import { acceptJson } from './body.ts'
import { commonHeaders } from './common-headers.ts'
import { serveDocs } from './docs.ts'
import { handleErrors } from './errors.ts'
import { answerWrongMethods } from './method-not-allowed.ts'
import { measure } from './metrics.ts'
import { shedLoad } from './overload.ts'
import { cutOffSlowReaders, PATIENCE, type Patience } from './patience.ts'
import { type RawRoute, serveRaw } from './raw-route.ts'
import { LazyLog, logResponses } from './request-log.ts'
import { serveRest } from './rest.ts'
import { serveTools } from './tools.ts'
import { serveWeb } from './web.ts'

const DEFAULT_BODY_LIMIT = 1024 * 1024
const SANE_REQUEST_ID = /^[\w.:-]{1,128}$/

export type Doors = {
  capabilities: readonly Capability[]
  rawRoutes: readonly RawRoute[]
  mcp?: McpOptions | undefined
  /** Whether requests are refused while the process is far behind. */
  shedding: boolean
  patience?: Partial<Patience> | undefined
}

export async function buildServer(services: Services, doors: Doors): Promise<FastifyInstance> {
  const logger: FastifyBaseLogger = services.log
  const patience = { ...PATIENCE, ...doors.patience }
  const app = Fastify({
    loggerInstance: logger,
    // Our own line says more and shows no addresses.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    bodyLimit: DEFAULT_BODY_LIMIT,
    trustProxy: services.config.trustProxy,
    // A client that sends slowly or not at all must not hold a connection for ever.
    connectionTimeout: patience.silenceMs,
    requestTimeout: patience.requestMs,
    keepAliveTimeout: patience.keepAliveMs,
    http: { headersTimeout: patience.headersMs, connectionsCheckingInterval: patience.lookMs },
    routerOptions: { maxParamLength: 1000, ignoreTrailingSlash: true },
    genReqId: (request) => {
      const given = request.headers['x-request-id']
      return typeof given === 'string' && SANE_REQUEST_ID.test(given) ? given : randomUUID()
    },
    childLoggerFactory: (logger, bindings, options) => new LazyLog(logger, bindings, options),
    clientErrorHandler: answerBrokenHttp,
  })
  app.server.maxConnections = patience.connections
  const stopLooking = cutOffSlowReaders(app.server, patience)
  app.addHook('onClose', async () => stopLooking())
  app.decorateRequest('viewer', null)
  // Cookies are read where one is asked for: agents send none.
  await app.register(cookie, { hook: false })
  acceptJson(app)
  handleErrors(app, services.database)
  commonHeaders(app, services.config)
  if (doors.shedding) shedLoad(app, services.database.waitMs)
  measure(app, services.config)
  logResponses(app, services.log)
  const closeRoutes = answerWrongMethods(app)
  serveRest(app, services, doors.capabilities)
  serveTools(app, services, doors.capabilities)
  await serveMcp(app, services, doors.capabilities, doors.mcp)
  await serveRaw(app, services, doors.rawRoutes)
  await serveDocs(app, services.config, doors)
  await serveWeb(app, services)
  closeRoutes()
  return app
}

type RawSocket = { writable: boolean; end: (text: string) => void; destroy: () => void }

/** What is not even HTTP never reaches a route; it gets the same form of error. */
function answerBrokenHttp(error: Error & { code?: string }, socket: RawSocket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, code] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'headers_too_large']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'request_timeout']
        : ['400 Bad Request', 'bad_request']
  const body = JSON.stringify({ detail: 'The request could not be read as HTTP.', code })
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
}
