import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Config } from '../../config.ts'
import { sha256 } from '../../core/crypto.ts'
import { AppError } from '../../core/errors.ts'
import { jobFailures } from '../../core/log.ts'
import { isOpenDevelopment } from '../../core/own-addresses.ts'

const sameText = (a: string, b: string) => timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)))

/** One registry for the whole process, because these measurements cannot be stopped. */
let processMetrics: Registry | undefined

function startProcessMetrics(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  registry.registerMetric(jobFailures)
  return registry
}

/** Turns the metrics of this process into the metrics of all processes behind the port. */
export type MetricsOfAll = (own: () => Promise<string>) => () => Promise<string>

/** Without METRICS_TOKEN, only this machine may read it, and only in development. */
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

/** Upper bounds in seconds; a slower answer counts only in the total. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

type Times = {
  labels: string
  statuses: Map<number, number>
  buckets: number[]
  count: number
  seconds: number
}

const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`

export class RouteTimes {
  readonly #byRoute = new Map<string, Map<string, Times>>()

  add(method: string, route: string, status: number, seconds: number): void {
    const times = this.#timesOf(method, route)
    times.statuses.set(status, (times.statuses.get(status) ?? 0) + 1)
    times.count++
    times.seconds += seconds
    for (let i = BUCKETS.length - 1; i >= 0 && seconds <= (BUCKETS[i] as number); i--)
      times.buckets[i] = (times.buckets[i] as number) + 1
  }

  #timesOf(method: string, route: string): Times {
    let byMethod = this.#byRoute.get(route)
    if (!byMethod) {
      byMethod = new Map()
      this.#byRoute.set(route, byMethod)
    }
    let times = byMethod.get(method)
    if (!times) {
      const labels = `method=${quoted(method)},route=${quoted(route)}`
      times = { labels, statuses: new Map(), buckets: BUCKETS.map(() => 0), count: 0, seconds: 0 }
      byMethod.set(method, times)
    }
    return times
  }

  toString(): string {
    const all = [...this.#byRoute.values()].flatMap((byMethod) => [...byMethod.values()])
    const requests = all.flatMap(({ labels, statuses }) =>
      Array.from(
        statuses,
        ([status, count]) => `http_requests_total{${labels},status=${quoted(String(status))}} ${count}`,
      ),
    )
    const durations = all.flatMap(({ labels, buckets, count, seconds }) => [
      ...BUCKETS.map((end, i) => `http_request_duration_seconds_bucket{le="${end}",${labels}} ${buckets[i]}`),
      `http_request_duration_seconds_bucket{le="+Inf",${labels}} ${count}`,
      `http_request_duration_seconds_sum{${labels}} ${seconds}`,
      `http_request_duration_seconds_count{${labels}} ${count}`,
    ])
    return [
      '# HELP http_requests_total Requests answered',
      '# TYPE http_requests_total counter',
      ...requests,
      '',
      '# HELP http_request_duration_seconds Time to answer',
      '# TYPE http_request_duration_seconds histogram',
      ...durations,
      '',
    ].join('\n')
  }
}
