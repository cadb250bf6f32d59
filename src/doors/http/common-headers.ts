import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'

/** JSON shows nothing and loads nothing; pages set their own, wider policy. */
const API_POLICY = "default-src 'none'; frame-ancestors 'none'"

/** What every answer carries, of whatever route. */
export function commonHeaders(app: FastifyInstance, config: Config): void {
  const headers: Record<string, string> = {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': API_POLICY,
  }
  if (config.baseUrl.startsWith('https:'))
    headers['strict-transport-security'] = 'max-age=31536000; includeSubDomains'
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).header('x-request-id', request.id)
    if (request.url.startsWith('/api/')) reply.header('cache-control', 'no-store')
    done()
  })
}
