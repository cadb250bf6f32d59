import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  copyVault,
  makeDistributed,
  makePlain,
  type Servers,
  setDurable,
  startServers,
} from './distributed/databases.ts'
import { fillVault } from './distributed/fill.ts'
import { type Calls, callsOn, kindsFor, percentile, serverSeconds, time } from './distributed/measure.ts'
import { moreWorkers } from './distributed/more-workers.ts'
import { type Row, report } from './support/report.ts'
import { cpuSeconds, type Server, startVault } from './support/servers.ts'

/**
 * The same vault on a Citus cluster and on one PostgreSQL of the same machine: latency, CPU, statements and fan-out; then
 * searches a second with a third and a fourth worker. Needs Citus (deploy/citus/build.sh). `--keep` keeps the vaults.
 */
const { values } = parseArgs({
  options: {
    /** Cards of the vault that is on both sides; 0 leaves the comparison out. */
    cards: { type: 'string', default: '20000' },
    /** How often the vault has each of them: see multiply.ts. */
    times: { type: 'string', default: '1' },
    /** As many as cards unless given. */
    events: { type: 'string' },
    /** Words of an event. */
    words: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    requests: { type: 'string', default: '40' },
    keep: { type: 'string' },
    /** Cards of the vault that is spread over more workers; 0 leaves that out. */
    spread: { type: 'string', default: '20000' },
    /** The share of a core that each of these workers has. */
    share: { type: 'string', default: '0.1' },
  },
})
const WORKERS = 2
const CARDS = Number(values.cards)
const TIMES = Number(values.times)
const EVENTS = Number(values.events ?? CARDS * TIMES)
const WORDS = values.words === undefined ? undefined : Number(values.words)
const REQUESTS = Number(values.requests)
const ROUNDS = Number(values.rounds)

const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'knowledge-vault-distributed-'))
mkdirSync(folder, { recursive: true })
// The database servers run as another user.
chmodSync(folder, 0o755)
const common = { DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'error', RATE_LIMIT: 'off', CREDITS: 'off' }
mkdirSync(common.DATA_DIR, { recursive: true })

/** Does something once for a kept folder. */
async function once(name: string, servers: Servers, work: () => Promise<unknown>): Promise<void> {
  const mark = join(folder, `${name}-${CARDS}x${TIMES}-${EVENTS}`)
  if (existsSync(mark)) return
  await setDurable(servers.url, false)
  await work()
  await setDurable(servers.url, true)
  writeFileSync(mark, '')
}

type Side = { name: string; servers: Servers; service: Server; env: Record<string, string> }

async function sides(): Promise<[Side, Side]> {
  const one = startServers(join(folder, 'one'), 0)
  const many = startServers(join(folder, 'many'), WORKERS)
  await once('filled', one, async () => {
    await makePlain(one.url)
    const size = { cards: CARDS, times: TIMES, events: EVENTS, words: WORDS }
    await fillVault({ ...common, DATABASE_URL: one.url }, size)
  })
  await once('copied', many, async () => {
    await makeDistributed(many.url)
    await copyVault(one.url, many.url)
  })
  const side = async (name: string, servers: Servers, more = {}): Promise<Side> => {
    const env = { ...common, DATABASE_URL: servers.url, ...more }
    return { name, servers, env, service: await startVault(env) }
  }
  return [
    await side('one PostgreSQL', one),
    await side(`a coordinator and ${WORKERS} workers`, many, { DATABASE_DISTRIBUTED: 'citus' }),
  ]
}

/** CPU milliseconds of a request, by who has used them. */
type Cpu = { service: number; coordinator: number; workers: number }
type Measured = { times: number[]; cpu: Cpu }

const usedBy = ({ servers: { mains }, service }: Side): Cpu => {
  const [coordinator = 0, ...workers] = mains.map(serverSeconds)
  return { service: cpuSeconds(service.pid), coordinator, workers: workers.reduce((a, b) => a + b, 0) }
}

/** Each kind on both sides in turn, so that what else the machine does falls on both. */
async function compare(both: readonly Side[]): Promise<Map<string, Map<Side, Measured>>> {
  const measured = new Map<string, Map<Side, Measured>>()
  const kinds = new Map(
    await Promise.all(
      both.map(async (side) => [side, await kindsFor(side.servers.url, side.service.url)] as const),
    ),
  )
  for (let round = 0; round <= ROUNDS; round++)
    for (const side of both)
      for (const [kind, make] of Object.entries(kinds.get(side) ?? {})) {
        const before = usedBy(side)
        const times: number[] = []
        for (let n = 0; n < REQUESTS; n++)
          times.push(await time(side.service.url, make(round * REQUESTS + n)))
        const after = usedBy(side)
        // The first round fills the caches.
        if (round === 0) continue
        const bySide = measured.get(kind) ?? new Map<Side, Measured>()
        const sum = bySide.get(side) ?? { times: [], cpu: { service: 0, coordinator: 0, workers: 0 } }
        sum.times.push(...times)
        for (const who of ['service', 'coordinator', 'workers'] as const)
          sum.cpu[who] += ((after[who] - before[who]) * 1000) / (ROUNDS * REQUESTS)
        measured.set(kind, bySide.set(side, sum))
      }
  return measured
}

/** Statements of one request on the coordinator, and tasks on the workers. Background jobs are counted apart and taken off. */
async function fanOut({ servers, service }: Side): Promise<Map<string, Calls>> {
  const found = new Map<string, Calls>()
  for (const [kind, make] of Object.entries(await kindsFor(servers.url, service.url))) {
    await callsOn(servers.url)
    const began = performance.now()
    for (let n = 0; n < REQUESTS; n++) await time(service.url, make(n))
    const took = performance.now() - began
    const during = await callsOn(servers.url)
    await new Promise((resolve) => setTimeout(resolve, took))
    const idle = await callsOn(servers.url)
    found.set(kind, {
      statements: (during.statements - idle.statements) / REQUESTS,
      tasks: (during.tasks - idle.tasks) / REQUESTS,
    })
  }
  return found
}

const ms = (value: number) => value.toFixed(1)
const cells = (values: readonly (string | number)[]) => `| ${values.join(' | ')} |`

const rows: Row[] = []

function show(
  both: readonly Side[],
  measured: Awaited<ReturnType<typeof compare>>,
  calls: Map<string, Calls>,
) {
  const machine = `${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`
  const size = `${CARDS * TIMES} cards and ${EVENTS} events`
  console.log(`${size}; ${machine}, load ${loadavg()[0]?.toFixed(1)}\n`)
  const head = [
    '',
    'side',
    'p50 / p95 ms',
    'CPU ms: service',
    'coordinator',
    'workers',
    'statements',
    'tasks',
  ]
  console.log(cells(head))
  console.log(cells(head.map(() => '---')))
  for (const [kind, bySide] of measured)
    for (const [side, { times, cpu }] of bySide) {
      const latency = `${ms(percentile(times, 0.5))} / ${ms(percentile(times, 0.95))}`
      const { statements, tasks } = (side === both[1] && calls.get(kind)) || {}
      const used = [cpu.service, cpu.coordinator, cpu.workers].map(ms)
      const counted = [statements, tasks].map((count) => (count === undefined ? '' : ms(count)))
      console.log(cells([kind, side.name, latency, ...used, ...counted]))
      const what = `${kind}, ${side.name}, ${size}`
      rows.push({ what, measured: `p50 / p95 ${latency} ms` })
    }
}

async function compareBoth(): Promise<void> {
  const both = await sides()
  try {
    show(both, await compare(both), await fanOut(both[1]))
  } finally {
    for (const { service, servers } of both) {
      await service.stop()
      servers.stop()
    }
  }
}

async function compareWorkers(cards: number, share: number): Promise<void> {
  const source = startServers(join(folder, 'spread-from'), 0)
  try {
    await makePlain(source.url)
    await fillVault({ ...common, DATABASE_URL: source.url }, { cards })
    const measured = await moreWorkers(join(folder, 'spread'), source.url, common, share)
    for (const { workers, searchesPerSecond, isLimited } of measured) {
      const limit = isLimited ? ` with ${share} of a core each` : ''
      const what = `searches a second, ${cards} cards, ${workers} workers${limit}`
      console.log(`${what}: ${ms(searchesPerSecond)}`)
      rows.push({ what, measured: ms(searchesPerSecond) })
    }
  } finally {
    source.stop()
    for (const name of ['spread', 'spread-from']) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

try {
  if (CARDS > 0) await compareBoth()
  if (Number(values.spread) > 0) await compareWorkers(Number(values.spread), Number(values.share))
  report(rows)
} finally {
  if (!values.keep) rmSync(folder, { recursive: true, force: true })
}
