import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'

/** JSON shows nothing and loads nothing; pages set their own, wider policy. */
const API_POLICY = "default-src 'none'; frame-ancestors 'none'"

export function secure(app: FastifyInstance, config: Config): void {
  const overTls = config.baseUrl.startsWith('https:')
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Content-Security-Policy': API_POLICY,
    })
    if (overTls) reply.header('Strict-Transport-Security', 'max-age=31536000; includeSubDomains')
    if (request.url.startsWith('/api/')) reply.header('Cache-Control', 'no-store')
  })
}
