import { resolve } from 'node:path'
import type { ParseArgsOptionsConfig } from 'node:util'
import autocannon from 'autocannon'
import { commitOf, repository } from './servers.ts'

export type Table = { title: string; rows: Record<string, string | number>[] }

/** Wrong arguments; the message says what to write. */
export class UsageError extends Error {}

/** Options of the benches that measure a server. */
export const COMPARE_OPTIONS = {
  against: { type: 'string' },
  pairs: { type: 'string', default: '5' },
  engine: { type: 'string', default: 'sqlite' },
  quick: { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig

export type CompareValues = { against?: string | undefined; pairs: string; quick: boolean }

/** Measured values by what they measure, with the unit in the name. */
export type Figures = Record<string, number>

export type Measurement<T> = {
  title: string
  /** Prepares the server of a checkout. */
  open: (folder: string) => Promise<T>
  measure: (opened: T, round: number) => Promise<Figures>
  close: (opened: T) => Promise<void>
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

const shown = (value: number) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3))
const range = (values: readonly number[]) => `${shown(Math.min(...values))} to ${shown(Math.max(...values))}`

/** Measures this checkout, and with `--against` another one in turns, and returns medians of all rounds. */
export async function compare<T>(
  { against, pairs, quick }: CompareValues,
  { title, open, measure, close }: Measurement<T>,
): Promise<Table> {
  const folders = [repository, ...(against === undefined ? [] : [resolve(against)])]
  const rounds = quick ? 1 : Number(pairs)
  const opened: T[] = []
  const figures: Figures[][] = folders.map(() => [])
  try {
    for (const folder of folders) opened.push(await open(folder))
    for (let round = 0; round < rounds; round++) {
      const order = round % 2 === 0 ? [...opened.keys()] : [...opened.keys()].reverse()
      for (const side of order) figures[side]?.push(await measure(opened[side] as T, round))
    }
  } finally {
    for (const one of opened) await close(one)
  }
  const [here = [], there] = figures
  const valuesOf = (all: readonly Figures[], what: string) => all.map((one) => one[what] ?? Number.NaN)
  const rows = Object.keys(here[0] ?? {}).map((what): Record<string, string> => {
    const ours = valuesOf(here, what)
    if (!there) return { what, median: shown(median(ours)), range: range(ours) }
    const theirs = valuesOf(there, what)
    const ratios = ours.map((value, round) => value / (theirs[round] as number))
    return {
      what,
      here: shown(median(ours)),
      there: shown(median(theirs)),
      'here / there': median(ratios).toFixed(3),
      range: range(ratios),
    }
  })
  const sides =
    folders.length > 1 ? `, here ${commitOf(repository)}, there ${commitOf(folders[1] as string)}` : ''
  return { title: `${title}, ${rounds} rounds${sides}`, rows }
}

export type Request = {
  method?: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: string
}

/** Makes JSON requests of one caller. */
export const postsBy =
  (headers: Record<string, string>) =>
  (path: string, body: unknown): Request => ({
    method: 'POST',
    path,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

export type Load = { requestsPerSecond: number; p50: number; p99: number; requests: number }

/** Sends requests in order, as fast as they are answered, on several connections. Throws if one fails. */
export async function drive(
  url: string,
  requests: Request | readonly Request[],
  seconds: number,
  connections = 8,
): Promise<Load> {
  const list = [requests].flat()
  let next = 0
  // Each connection takes the next request of all, so that none is sent twice before all were sent.
  const setupRequest = (request: autocannon.Request) => ({ ...request, ...list[next++ % list.length] })
  const result = await autocannon({
    url,
    requests: list.length === 1 ? list : [{ setupRequest }],
    connections,
    duration: seconds,
  })
  const failures = result.non2xx + result.errors + result.timeouts
  if (failures > 0)
    throw new Error(`${failures} of ${result.requests.total} requests failed: ${list[0]?.path}`)
  return {
    requestsPerSecond: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    requests: result.requests.total,
  }
}

/** Sends one request and returns its milliseconds. */
export async function time(
  url: string,
  { path, method = 'GET', headers = {}, body }: Request,
): Promise<number> {
  const begin = performance.now()
  const answer = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`)
  return performance.now() - begin
}

/** Sends the requests one after the other. */
export async function timeEach(url: string, requests: readonly Request[]): Promise<number[]> {
  const times: number[] = []
  for (const request of requests) times.push(await time(url, request))
  return times
}
