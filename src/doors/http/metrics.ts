import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { Config } from '../../config.ts'
import { AppError } from '../../core/errors.ts'
import { sha256 } from '../../core/secrets.ts'

const sameText = (a: string, b: string) => timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)))

/** `/metrics` in Prometheus form, behind METRICS_TOKEN as a bearer token where one is set. */
export function measure(app: FastifyInstance, config: Config): void {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    requests.inc({ method: request.method, route, status: reply.statusCode })
    durations.observe({ method: request.method, route }, reply.elapsedTime / 1000)
  })
  app.get('/metrics', { config: { operation: 'metrics' } }, async (request, reply) => {
    if (
      config.metricsToken &&
      !sameText(request.headers.authorization ?? '', `Bearer ${config.metricsToken}`)
    )
      throw new AppError(
        401,
        'not_authenticated',
        'Send METRICS_TOKEN as a bearer token.',
        {},
        { 'WWW-Authenticate': 'Bearer' },
      )
    reply.type(registry.contentType)
    return registry.metrics()
  })
}
