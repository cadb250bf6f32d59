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

/**
 * How often each route was answered and how long that took, in the text form of Prometheus. Counted here and not by the
 * metrics library, which hashes the labels for every answer.
 */
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
