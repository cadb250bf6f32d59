import { writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { EngineName } from '../src/db/db.ts'
import { type Measured, plot } from './growth/plot.ts'
import { page } from './growth/table.ts'
import { remixedQueries, sentencesFrom } from './search/cards.ts'
import { readThrough } from './support/files.ts'
import { filledVault } from './support/filled.ts'
import { postsBy, type Request } from './support/load.ts'
import { type Row, report } from './support/report.ts'
import { repository, residentMb, startVault } from './support/servers.ts'

/** Latency, memory, disk and start of one worker as cards and events grow together, on both engines. `--keep` keeps the vaults. */
const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,100000,1000000' },
    engines: { type: 'string', default: 'sqlite,postgres' },
    requests: { type: 'string', default: '200' },
    keep: { type: 'string' },
    out: { type: 'string', default: 'docs/growth' },
  },
})
const REQUESTS = Number(values.requests)
const queries = remixedQueries(sentencesFrom(undefined), REQUESTS)

const MOST_RESIDENT_MB = 250
const SLOWEST_START_MS = 2000

async function percentiles(url: string, requests: readonly Request[]): Promise<{ p50: number; p95: number }> {
  const times: number[] = []
  for (const { path, method = 'GET', headers = {}, body } of requests) {
    const begin = performance.now()
    const answer = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) })
    await answer.arrayBuffer()
    times.push(performance.now() - begin)
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`)
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN
  return { p50: at(0.5), p95: at(0.95) }
}

async function measure(engine: EngineName, size: number): Promise<Measured> {
  const vault = await filledVault(engine, size, size, values.keep ?? process.env.BENCH_KEEP)
  try {
    await readThrough(vault.files)
    const begin = performance.now()
    const server = await startVault(vault.env)
    const startMs = performance.now() - begin
    const { headers } = vault
    const post = postsBy(headers)
    const kinds: Record<string, (query: string) => Request> = {
      'search the library': (query) => post('/api/v1/search', { query: query.padEnd(3), scope: 'public' }),
      'read a card': () => ({ path: `/api/v1/cards/${vault.cardId}`, headers }),
      'restore memory': () => ({
        path: '/api/v1/project-context/snapshot?project_key=bench/project0',
        headers,
      }),
      'record a card': (query) => post('/api/v1/cards', { title: query, symptom: query, fix_summary: query }),
      'append a turn': (query) =>
        post('/mcp/tools/append_context_turn', {
          project_key: 'bench/project0',
          user_message: query,
          agent_report: query,
        }),
    }
    const latency: Measured['latency'] = {}
    for (const [kind, make] of Object.entries(kinds)) {
      await percentiles(server.url, queries.slice(0, 20).map(make))
      latency[kind] = await percentiles(server.url, queries.map(make))
    }
    const residentMegabytes = residentMb(server.pid)
    await server.stop()
    return { engine, size, startMs, residentMegabytes, diskMegabytes: vault.diskBytes / 1e6, latency }
  } finally {
    await vault.remove()
  }
}

const loadBefore = loadavg()[0] ?? 0
const measured: Measured[] = []
for (const engine of values.engines.split(',') as EngineName[])
  for (const size of values.sizes.split(',').map(Number)) measured.push(await measure(engine, size))

function barsOf({ engine, size, startMs, residentMegabytes }: Measured): Pick<Row, 'bar' | 'met'> {
  if (engine !== 'sqlite') return {}
  if (size === 100_000)
    return { bar: `at most ${MOST_RESIDENT_MB} MB`, met: residentMegabytes <= MOST_RESIDENT_MB }
  if (size === 1_000_000)
    return { bar: `ready within ${SLOWEST_START_MS} ms`, met: startMs < SLOWEST_START_MS }
  return {}
}
const rows: Row[] = measured.map((m) => ({
  what: `${m.engine} with ${m.size} cards and events`,
  measured: `start ${Math.round(m.startMs)} ms, ${Math.round(m.residentMegabytes)} MB resident, ${Math.round(m.diskMegabytes)} MB on disk, library search p95 ${m.latency['search the library']?.p95.toFixed(1)} ms`,
  ...barsOf(m),
}))
report(rows)
const busy = loadBefore > availableParallelism() / 2
const note = `${availableParallelism()} cores, Node ${process.version}, load ${loadBefore.toFixed(1)} at the start${busy ? ': other work ran beside it, so the latencies say little' : ''}`
console.log(page(measured, note))
if (values.out) {
  writeFileSync(join(repository, `${values.out}.svg`), plot(measured, note))
  writeFileSync(join(repository, `${values.out}.md`), page(measured, note))
}
if (rows.some((row) => row.met === false)) process.exitCode = 1
