import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Services } from '../../core/context.ts'
import { AppError, nothingHere } from '../../core/errors.ts'
import { Addresses } from './addresses.ts'
import { sendError } from './errors.ts'
import { countFile, countMiss } from './limits/rate-limit.ts'

/** Those that a route of ours may have. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The route of the web app's page. */
export const EVERYTHING_ELSE = '/*'

/** For `onRequest`: counts the request against its host and refuses it before its body is read. */
export const refuseUncalled = (services: Services, refusal: (request: FastifyRequest) => AppError) =>
  async function refuse(request: FastifyRequest): Promise<void> {
    countMiss(services, request)
    throw refusal(request)
  }

/**
 * Routes without an admission of their own, such as files and the API description, count against their host. Call
 * before the routes.
 */
export function countPlainRoutes(app: FastifyInstance, services: Services): void {
  app.addHook('onRoute', (route) => {
    route.onRequest ??= async (request: FastifyRequest) => countFile(services, request)
  })
}

function pathOf({ url }: FastifyRequest): string {
  const [path = ''] = url.split('?', 1)
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/** For an address that exists, but not with this method. */
function wrongMethod({ method }: FastifyRequest, methods: ReadonlySet<string>): AppError {
  const allow = [...methods].join(', ')
  return new AppError(
    405,
    'method_not_allowed',
    `${method} is not possible here; ${allow} is.`,
    {},
    { Allow: allow },
  )
}

/**
 * Answers addresses and methods that no route has, before a body is read, so that its type, size or contents cannot
 * give another answer or cost anything. Call before the routes, and the returned function after them. A wrong method is
 * looked up when it comes: as routes they would be four of five, and most of the work of a start.
 */
export function refuseWrongAddresses(app: FastifyInstance, services: Services): () => void {
  const addresses = new Addresses()
  const missing = (request: FastifyRequest): AppError => {
    const methods = addresses.methodsAt(pathOf(request))
    // The method may be right and a part of the path too long for an id.
    return methods && !methods.has(request.method) ? wrongMethod(request, methods) : nothingHere()
  }
  const refuseMissing = refuseUncalled(services, missing)
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) refuseMissing(request).catch(done)
    else done()
  })
  // Unknown routes were refused before their body was read. This is for a missing file in a folder.
  app.setNotFoundHandler((request, reply) => {
    countMiss(services, request)
    return sendError(reply, nothingHere())
  })
  let closed = false
  app.addHook('onRoute', (route) => {
    if (closed) return
    if (!route.url.includes('*')) addresses.add(route.url, [route.method].flat())
    // It has every address that no other route has, also that of a route with other methods.
    else if (route.url === EVERYTHING_ELSE)
      route.preHandler = async (request: FastifyRequest) => {
        const error = missing(request)
        if (error.status !== 405) return
        countMiss(services, request)
        throw error
      }
  })
  return () => {
    closed = true
    for (const { url, hidden } of addresses.hiding(METHODS))
      app.route({ method: hidden, url, onRequest: refuseMissing, handler: async () => {} })
  }
}
