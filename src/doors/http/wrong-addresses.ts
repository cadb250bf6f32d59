import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify'
import type { Services } from '../../core/context.ts'
import { AppError, nothingHere } from '../../core/errors.ts'
import { sendError } from './errors.ts'
import { countFile, countMiss } from './limits/rate-limit.ts'

const METHODS: HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

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

/**
 * Answers addresses and methods that no route has, before a body is read, so that its type, size or contents cannot
 * give another answer or cost anything. Call before the routes, and the returned function after them.
 */
export function refuseWrongAddresses(app: FastifyInstance, services: Services): () => void {
  const refuse404 = refuseUncalled(services, nothingHere)
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) refuse404(request).catch(done)
    else done()
  })
  // Unknown routes were refused before their body was read. This is for a missing file in a folder.
  app.setNotFoundHandler((request, reply) => {
    countMiss(services, request)
    return sendError(reply, nothingHere())
  })
  const methodsOf = new Map<string, Set<string>>()
  let closed = false
  app.addHook('onRoute', (route) => {
    if (closed) return
    const methods = methodsOf.get(route.url) ?? new Set()
    for (const method of [route.method].flat()) methods.add(method)
    methodsOf.set(route.url, methods)
  })
  return () => {
    closed = true
    for (const [url, methods] of methodsOf) {
      const others = METHODS.filter((method) => !methods.has(method))
      if (url.includes('*') || others.length === 0) continue
      const allow = [...methods].join(', ')
      const wrongMethod = (request: FastifyRequest) =>
        new AppError(
          405,
          'method_not_allowed',
          `${request.method} is not possible here; ${allow} is.`,
          {},
          { Allow: allow },
        )
      app.route({
        method: others,
        url,
        onRequest: refuseUncalled(services, wrongMethod),
        handler: async () => {},
      })
    }
  }
}
