import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { LimitClass, Route } from '../../core/capability.ts'
import type { Services } from '../../core/context.ts'
import type { Scope } from '../../core/scopes.ts'
import { admission } from './auth.ts'
import type { Answers } from './fast-path/answers.ts'
import { parseRoute, toFastifyPath } from './routes.ts'

/** What JSON in, JSON out cannot say: webhooks, uploads, streams, pages. Lives in `features/x/x.http.ts`. */
export type RawRoute = {
  name: string
  summary: string
  route: Route
  scopes: readonly Scope[] | 'public'
  limit?: LimitClass
  bodyLimit?: number
  /** Its part of the API description; pages that are not API leave it out. */
  openapi?: { requestBody?: object; responses: Record<string, object> }
  /** Content types of its own, in its own scope. */
  prepare?: (app: FastifyInstance) => void | Promise<void>
  handle: (services: Services, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
}

export async function serveRaw(
  app: FastifyInstance,
  services: Services,
  answers: Answers,
  routes: readonly RawRoute[],
): Promise<void> {
  for (const raw of routes) {
    const { method, path } = parseRoute(raw.route)
    await app.register(async (scope) => {
      await raw.prepare?.(scope)
      scope.route({
        method,
        url: toFastifyPath(path),
        config: { operation: raw.name },
        ...(raw.bodyLimit ? { bodyLimit: raw.bodyLimit } : {}),
        onRequest: [
          admission(services, raw, raw.limit ?? (method === 'GET' ? 'read' : 'write')),
          // Now, for those that write to the socket themselves.
          (request, reply, done) => {
            answers.setHeaders(request, reply)
            done()
          },
        ],
        handler: (request, reply) => raw.handle(services, request, reply),
      })
    })
  }
}
