import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { makeOnCluster, run as runSql, serversOf } from '../test/support/cluster.ts'
import {
  drive,
  median,
  percentile,
  postsBy,
  type Request,
  type Table,
  time,
  timeEach,
  UsageError,
} from './lib/measure.ts'
import { cpuMs, type Limit, limitTo, repository, type Server, startServer, stopLater } from './lib/servers.ts'
import { madeUpCards, madeUpEvents, madeUpQueries } from './lib/texts.ts'
import { fillCards, fillEvents, type Person, register, settle } from './lib/vault.ts'

const SCRIPT = join(repository, 'deploy/citus/cluster.sh')
const DATABASE = 'vault'
const BUFFERS_MB = 1024
const WORKERS = 2
/** Memory is sharded by its author, so cards and events belong to several people. */
const PEOPLE = 8
const CARDS_READ = 500

type Cluster = {
  /** The database of the vault, on the coordinator. */
  url: string
  /** The main process of each server: of the coordinator, then of the workers. */
  mains: number[]
  stop: () => Promise<void>
}

const withDatabase = (url: string, name: string) => {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

/** Starts PostgreSQL servers in a folder, with the same memory together whatever their number. No workers: one PostgreSQL. */
function startCluster(folder: string, workers: number): Cluster {
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o755)
  const portFile = join(folder, 'port')
  if (!existsSync(portFile)) writeFileSync(portFile, String(12_000 + Math.floor(Math.random() * 3000) * 6))
  const settings = {
    shared_buffers: `${Math.floor(BUFFERS_MB / (workers + 1))}MB`,
    // Citus must be the first.
    shared_preload_libraries: "'citus,pg_stat_statements'",
    'pg_stat_statements.track_utility': 'off',
    max_wal_size: '2GB',
    checkpoint_timeout: '30min',
    // One query takes one core of a server, so that few cores do not hide what it costs.
    max_parallel_workers_per_gather: '0',
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  const env = { ...process.env, SETTINGS: lines.join('\n'), PORT: readFileSync(portFile, 'utf8') }
  const servers = join(folder, 'servers')
  const callScript = (command: string) =>
    execFileSync(SCRIPT, [command, servers, String(workers)], { env, stdio: ['ignore', 'pipe', 'inherit'] })
      .toString()
      .trim()
  const stop = stopLater(async () => {
    callScript('stop')
  })
  const start = () => {
    try {
      return callScript('start')
    } catch {
      throw new UsageError('The database servers did not start. Build Citus first: deploy/citus/build.sh.')
    }
  }
  const url = withDatabase(start(), DATABASE)
  const names = ['coordinator', ...Array.from({ length: workers }, (_, i) => `worker${i + 1}`)]
  const mainOf = (name: string) =>
    Number(readFileSync(join(servers, name, 'postmaster.pid'), 'utf8').split('\n')[0])
  return { url, mains: names.map(mainOf), stop }
}

/** Creates the empty database of the vault. The server migrates it. */
async function createDatabase({ url }: Cluster, workers: number): Promise<void> {
  const administration = withDatabase(url, 'postgres')
  if (workers > 0) await makeOnCluster(administration, DATABASE)
  else await runSql(administration, `create database ${DATABASE} encoding 'UTF8' template template0`)
}

type Side = { name: string; cluster: Cluster; server: Server; people: Person[]; kinds: Kinds }
type Kinds = Record<string, (n: number) => Request>

const projectOf = (person: number) => `bench/project${person}`
const pick = <T>(from: readonly T[], n: number) => from[n % from.length] as T

/** The n-th request of each kind: by other people, for other words and cards. */
function kindsFor(people: readonly Person[], cardIds: readonly string[]): Kinds {
  const queries = madeUpQueries(1000, 11)
  const text = (n: number) => pick(queries, n).padEnd(3)
  const headers = (n: number) => pick(people, n).headers
  const post = (n: number, path: string, body: object) => postsBy(headers(n))(path, body)
  return {
    'search the library': (n) => post(n, '/api/v1/search', { query: text(n), scope: 'public' }),
    'read a card': (n) => ({ path: `/api/v1/cards/${pick(cardIds, n)}`, headers: headers(n) }),
    'restore memory': (n) => ({
      path: `/api/v1/project-context/snapshot?project_key=${projectOf(n % PEOPLE)}`,
      headers: headers(n),
    }),
    'record a card': (n) =>
      post(n, '/api/v1/cards', { title: text(n), symptom: text(n), fix_summary: text(n) }),
    'append a turn': (n) =>
      post(n, '/mcp/tools/append_context_turn', {
        project_key: projectOf(n % PEOPLE),
        user_message: text(n),
        agent_report: text(n),
      }),
  }
}

type Size = { cards: number; events: number }

/** Starts the service on a cluster and fills its vault, half of the cards public. */
async function openSide(name: string, cluster: Cluster, workers: number, size: Size): Promise<Side> {
  const distributed: Record<string, string> = workers > 0 ? { DATABASE_DISTRIBUTED: 'citus' } : {}
  const server = await startServer({ env: { DATABASE_URL: cluster.url, ...distributed } })
  const people: Person[] = []
  const published: string[] = []
  for (let n = 0; n < PEOPLE; n++) {
    const person = await register(server.url, `person${n}`)
    people.push(person)
    const cards = madeUpCards(Math.ceil(size.cards / PEOPLE), n)
    const isPublished = (n: number) => n % 2 === 0
    const ids = await fillCards(server.url, person, cards, { isPublished })
    published.push(...ids.filter((_, i) => isPublished(i)))
    const events = madeUpEvents(Math.ceil(size.events / PEOPLE), n)
    await fillEvents(server.url, person, projectOf(n), events)
  }
  await settle({ databaseUrl: cluster.url })
  return { name, cluster, server, people, kinds: kindsFor(people, published.slice(0, CARDS_READ)) }
}

const TICKS_PER_SECOND = 100
/** Fields of /proc/…/stat after the name: own user and system time, and those of children that have ended. */
const CPU_FIELDS = [11, 12, 13, 14]

/** CPU of a PostgreSQL server with all its processes, also of those that have ended. */
function databaseMs(main: number): number {
  const fields = readFileSync(`/proc/${main}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const ended = CPU_FIELDS.slice(2).reduce((sum, field) => sum + Number(fields[field]), 0)
  return cpuMs(main) + (ended * 1000) / TICKS_PER_SECOND
}

/** CPU milliseconds by who has used them. */
type Cpu = { service: number; coordinator: number; workers: number }

const cpuOf = ({ cluster: { mains }, server }: Side): Cpu => {
  const [coordinator = 0, ...workers] = mains.map(databaseMs)
  return { service: cpuMs(server.pid), coordinator, workers: workers.reduce((a, b) => a + b, 0) }
}

/** What the coordinator sends to a worker for itself, beside the tasks of a statement. */
const ITS_OWN =
  "'(assign_distributed_transaction_id|lock_shard_resources|dump_local_wait_edges|pg_prepared_xacts|pg_dist_)'"
const CALLS = `select coalesce(sum(calls), 0)::int as n from pg_stat_statements
  where dbid = (select oid from pg_database where datname = current_database()) and query !~ ${ITS_OWN}`

type Calls = { statements: number; tasks: number }

/** Statements of the coordinator since the last call, and tasks of the workers for them. */
async function takeCalls(database: string): Promise<Calls> {
  const [coordinator = '', ...workers] = await serversOf(database)
  // The coordinator makes it on the workers too.
  await runSql(coordinator, 'create extension if not exists pg_stat_statements')
  const read = async (url: string): Promise<number> => (await runSql(url, CALLS)).rows[0].n
  let tasks = 0
  for (const worker of workers) tasks += await read(worker)
  const statements = await read(coordinator)
  for (const server of [coordinator, ...workers]) await runSql(server, 'select pg_stat_statements_reset()')
  return { statements, tasks }
}

/** Statements and tasks of one request. Those of background jobs are counted apart and taken off. */
async function fanOut({ cluster, server, kinds }: Side, requests: number): Promise<Map<string, Calls>> {
  const found = new Map<string, Calls>()
  for (const [kind, make] of Object.entries(kinds)) {
    await takeCalls(cluster.url)
    const began = performance.now()
    for (let n = 0; n < requests; n++) await time(server.url, make(n))
    const tookMs = performance.now() - began
    const during = await takeCalls(cluster.url)
    await sleep(tookMs)
    const idle = await takeCalls(cluster.url)
    found.set(kind, {
      statements: (during.statements - idle.statements) / requests,
      tasks: (during.tasks - idle.tasks) / requests,
    })
  }
  return found
}

type Measured = { times: number[]; cpu: Cpu }

/** Each kind on both sides in turn, so that other work of the machine falls on both. The first round fills the caches. */
async function measureSides(
  sides: readonly Side[],
  rounds: number,
  requests: number,
): Promise<Map<string, Map<Side, Measured>>> {
  const measured = new Map<string, Map<Side, Measured>>()
  for (let round = 0; round <= rounds; round++)
    for (const side of sides)
      for (const [kind, make] of Object.entries(side.kinds)) {
        const before = cpuOf(side)
        const asked = Array.from({ length: requests }, (_, n) => make(round * requests + n))
        const times = await timeEach(side.server.url, asked)
        const after = cpuOf(side)
        if (round === 0) continue
        const bySide = measured.get(kind) ?? new Map<Side, Measured>()
        const sum = bySide.get(side) ?? { times: [], cpu: { service: 0, coordinator: 0, workers: 0 } }
        sum.times.push(...times)
        for (const who of ['service', 'coordinator', 'workers'] as const)
          sum.cpu[who] += (after[who] - before[who]) / (rounds * requests)
        measured.set(kind, bySide.set(side, sum))
      }
  return measured
}

async function compareSides(folder: string, size: Size, rounds: number, requests: number): Promise<Table> {
  const sides: Side[] = []
  const clusters: Cluster[] = []
  try {
    for (const [name, workers] of [
      ['one PostgreSQL', 0],
      [`a coordinator and ${WORKERS} workers`, WORKERS],
    ] as const) {
      const cluster = startCluster(join(folder, `${workers}-workers`), workers)
      clusters.push(cluster)
      await createDatabase(cluster, workers)
      sides.push(await openSide(name, cluster, workers, size))
    }
    const measured = await measureSides(sides, rounds, requests)
    const calls = await fanOut(sides[1] as Side, requests)
    const rows = [...measured].flatMap(([kind, bySide]) =>
      [...bySide].map(([side, { times, cpu }]) => {
        const { statements, tasks } = (side === sides[1] && calls.get(kind)) || {}
        return {
          kind,
          side: side.name,
          'p50, ms': median(times).toFixed(1),
          'p95, ms': percentile(times, 0.95).toFixed(1),
          'CPU of the service, ms': cpu.service.toFixed(1),
          'of the coordinator': cpu.coordinator.toFixed(1),
          'of the workers': cpu.workers.toFixed(1),
          statements: statements?.toFixed(1) ?? '',
          tasks: tasks?.toFixed(1) ?? '',
        }
      }),
    )
    return { title: `a cluster beside one PostgreSQL, ${size.cards} cards, ${size.events} events`, rows }
  } finally {
    for (const { server } of sides) await server.stop()
    for (const cluster of clusters) await cluster.stop()
  }
}

const MAX_WORKERS = 4
const SPREAD_ROUNDS = 3
const SPREAD_SECONDS = 6
/** Few, because a service that waits for slow workers turns others away. */
const SPREAD_CONNECTIONS = 3

/** Gives shards to the first workers; the others wait without any. */
async function spreadOver({ url }: Cluster, workers: number): Promise<void> {
  const { rows } = await runSql(
    url,
    "select nodename, nodeport from pg_dist_node where groupid > 0 and noderole = 'primary' order by nodeport",
  )
  for (const [i, { nodename, nodeport }] of rows.entries())
    await runSql(
      url,
      `select citus_set_node_property('${nodename}', ${nodeport}, 'shouldhaveshards', ${i < workers})`,
    )
}

/** Searches a second as shards move from two workers to three and four, each with the same small share of a core. */
async function compareWorkers(folder: string, size: Size, share: number, seconds: number): Promise<Table> {
  const cluster = startCluster(join(folder, 'spread'), MAX_WORKERS)
  const limits: (Limit | undefined)[] = []
  let side: Side | undefined
  try {
    await createDatabase(cluster, MAX_WORKERS)
    await spreadOver(cluster, WORKERS)
    side = await openSide('spread', cluster, MAX_WORKERS, size)
    for (const main of cluster.mains.slice(1)) limits.push(limitTo(1, main))
    const isLimited = limits.every((limit) => limit !== undefined)
    const rows: Table['rows'] = []
    for (let workers = WORKERS; workers <= MAX_WORKERS; workers++) {
      await spreadOver(cluster, workers)
      await runSql(cluster.url, "select rebalance_table_shards(shard_transfer_mode => 'block_writes')")
      for (const limit of limits) limit?.change(share)
      const requests = Array.from(
        { length: 200 },
        (_, n) => side?.kinds['search the library']?.(n) as Request,
      )
      const rates: number[] = []
      for (let round = 0; round <= SPREAD_ROUNDS; round++) {
        const load = await drive(side.server.url, requests, seconds, SPREAD_CONNECTIONS)
        // The first round fills the caches.
        if (round > 0) rates.push(load.requestsPerSecond)
      }
      rows.push({ workers, 'searches a second': median(rates).toFixed(1) })
      // Moving shards may take all of a core.
      for (const limit of limits) limit?.change(1)
    }
    const limit = isLimited ? `${share} of a core for each` : 'without a limit of CPU'
    return { title: `more workers, ${size.cards} cards, ${limit}`, rows }
  } finally {
    await side?.server.stop()
    await cluster.stop()
    for (const limit of limits) limit?.remove()
  }
}

/** The same vault on a Citus cluster and on one PostgreSQL; then searches with a third and a fourth worker. */
export async function run(args: string[]): Promise<Table[]> {
  const { values } = parseArgs({
    args,
    options: {
      cards: { type: 'string', default: '20000' },
      events: { type: 'string', default: '20000' },
      rounds: { type: 'string', default: '5' },
      requests: { type: 'string', default: '40' },
      /** The share of a core that each of the workers has when they are counted up. */
      share: { type: 'string', default: '0.2' },
      quick: { type: 'boolean', default: false },
    },
  })
  const { quick } = values
  const size = quick
    ? { cards: 200, events: 200 }
    : { cards: Number(values.cards), events: Number(values.events) }
  const [rounds, requests] = quick ? [1, 5] : [Number(values.rounds), Number(values.requests)]
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-distributed-'))
  // The database servers run as another user.
  chmodSync(folder, 0o755)
  try {
    return [
      await compareSides(folder, size, rounds, requests),
      await compareWorkers(folder, size, Number(values.share), quick ? 1 : SPREAD_SECONDS),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
