import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Config } from '../../config.ts'
import { AppError } from '../../core/errors.ts'
import { jobFailures } from '../../core/job-failures.ts'
import { isOpenDevelopment } from '../../core/own-addresses.ts'
import { sha256 } from '../../core/secrets.ts'
import type { RouteTimes } from './fast-path/route-times.ts'

const sameText = (a: string, b: string) => timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)))

/** Of the whole process, however many vaults it serves: they are measured all the time and can never be stopped. */
let processMetrics: Registry | undefined

function startProcessMetrics(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  registry.registerMetric(jobFailures)
  return registry
}

/** Makes of how this process tells its metrics how all processes behind the port do. */
export type MetricsOfAll = (own: () => Promise<string>) => () => Promise<string>

/** `/metrics` in Prometheus form: behind METRICS_TOKEN as a bearer token, or without one on this machine while developing. */
export function serveMetrics(
  app: FastifyInstance,
  config: Config,
  times: RouteTimes,
  metricsOfAll: MetricsOfAll = (own) => own,
): void {
  processMetrics ??= startProcessMetrics()
  const registry = processMetrics
  const metrics = metricsOfAll(async () => `${await registry.metrics()}\n${times}`)
  app.get('/metrics', { config: { operation: 'metrics' } }, async (request, reply) => {
    if (!config.metricsToken && (config.production || isOpenDevelopment(config)))
      throw new AppError(403, 'forbidden', 'Metrics are closed here until METRICS_TOKEN is set.')
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
    return metrics()
  })
}
