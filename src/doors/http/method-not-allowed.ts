import type { FastifyInstance, HTTPMethods } from 'fastify'
import { AppError } from '../../core/errors.ts'

const METHODS: HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Remembers which methods each address has; call before the routes, and the returned function after them. */
export function answerWrongMethods(app: FastifyInstance): () => void {
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
      app.route({
        method: others,
        url,
        // Before the body is read, so that its type or size cannot give another answer.
        onRequest: async (request) => {
          throw new AppError(
            405,
            'method_not_allowed',
            `${request.method} is not possible here; ${allow} is.`,
            {},
            { Allow: allow },
          )
        },
        handler: async () => {},
      })
    }
  }
}
