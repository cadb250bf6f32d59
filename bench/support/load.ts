import autocannon from 'autocannon'

export type Request = {
  method?: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: string
}

/** Makes JSON requests for one caller. */
export const postsBy =
  (headers: Record<string, string>) =>
  (path: string, body: unknown): Request => ({ method: 'POST', path, headers, body: JSON.stringify(body) })

/** Latencies in ms; `p97` is that of 97.5 %. */
export type Load = { requestsPerSecond: number; p50: number; p97: number; p99: number; failures: number }

export type Drive = {
  connections?: number
  /** Requests a second, all connections together; without it, as many as are answered. */
  rate?: number
}

/** Repeats one request, or several in order, on several connections, and returns the results. */
export async function drive(
  url: string,
  requests: Request | readonly Request[],
  seconds: number,
  { connections = 8, rate }: Drive = {},
): Promise<Load> {
  const result = await autocannon({
    url,
    requests: [requests].flat(),
    connections,
    duration: seconds,
    ...(rate === undefined ? {} : { overallRate: rate }),
  })
  return {
    requestsPerSecond: result.requests.average,
    p50: result.latency.p50,
    p97: result.latency.p97_5,
    p99: result.latency.p99,
    failures: result.non2xx + result.errors + result.timeouts,
  }
}

export const median = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
