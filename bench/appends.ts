import { availableParallelism } from 'node:os'
import pg from 'pg'
import { type Filled, filledVault } from './support/filled.ts'
import { drive, type Load, postsBy } from './support/load.ts'
import { report } from './support/report.ts'
import { cpuSeconds, startVault } from './support/servers.ts'

/**
 * Appends on PostgreSQL: one worker, 8 clients, each with 8 projects of its own, with few events in the table and with many. A
 * transaction that has to run again shows as one that the database rolled back.
 */
const SECONDS = Number(process.env.SECONDS ?? 6)
const CLIENTS = 8
const PROJECTS_OF_CLIENT = 8
const FEW = 100
const MANY = Number(process.env.EVENTS ?? 20_000)
/** With many events an append may cost this much more. */
const MOST_GROWTH = 1.25
/** Rate and wait are promised for a machine where database, worker and load do not share cores. */
const ENOUGH_CORES = 16
const LEAST_RATE = 1500
const LONGEST_P99_MS = 25

async function rolledBack({ env }: Filled): Promise<number> {
  const client = new pg.Client(env.DATABASE_URL)
  await client.connect()
  const { rows } = await client.query(
    'select xact_rollback::int as count from pg_stat_database where datname = current_database()',
  )
  await client.end()
  return rows[0].count
}

type Measured = Pick<Load, 'requestsPerSecond' | 'p50' | 'p99' | 'failures'> & {
  cpuMicroseconds: number
  retries: number
}

async function appendWith(events: number): Promise<Measured> {
  const vault = await filledVault('postgres', FEW, events)
  const server = await startVault(vault.env)
  const post = postsBy(vault.headers)
  const projectsOf = (client: number) =>
    Array.from({ length: PROJECTS_OF_CLIENT }, (_, n) =>
      post('/api/v1/project-context/events', {
        project_key: `bench/client${client}-project${n}`,
        event_type: 'user_message',
        content: 'The import stops with a timeout while it waits for the lock of the table.',
      }),
    )
  const load = (seconds: number) =>
    Promise.all(
      Array.from({ length: CLIENTS }, (_, client) =>
        drive(server.url, projectsOf(client), seconds, { connections: 1 }),
      ),
    )
  await load(1)
  const before = { retries: await rolledBack(vault), cpu: cpuSeconds(server.pid) }
  const loads = await load(SECONDS)
  const cpu = cpuSeconds(server.pid) - before.cpu
  await server.stop()
  const retries = (await rolledBack(vault)) - before.retries
  await vault.remove()
  const total = (of: (load: Load) => number) => loads.reduce((sum, load) => sum + of(load), 0)
  const requestsPerSecond = total((load) => load.requestsPerSecond)
  return {
    requestsPerSecond,
    p50: Math.max(...loads.map((load) => load.p50)),
    p99: Math.max(...loads.map((load) => load.p99)),
    failures: total((load) => load.failures),
    cpuMicroseconds: (cpu / (requestsPerSecond * SECONDS)) * 1e6,
    retries,
  }
}

const few = await appendWith(FEW)
const many = await appendWith(MANY)
const growth = many.cpuMicroseconds / few.cpuMicroseconds
const isLarge = availableParallelism() >= ENOUGH_CORES
const promised = isLarge ? { bar: `at least ${LEAST_RATE}/s, p99 at most ${LONGEST_P99_MS} ms` } : {}
const rows = [
  ...Object.entries({ [FEW]: few, [MANY]: many }).map(([events, load]) => ({
    what: `append on PostgreSQL, ${CLIENTS * PROJECTS_OF_CLIENT} projects, ${CLIENTS} clients, one worker, ${events} events`,
    measured: `${Math.round(load.requestsPerSecond)}/s, p50 ${load.p50} ms, p99 ${load.p99} ms, ${Math.round(load.cpuMicroseconds)} µs of CPU`,
    ...promised,
    ...(isLarge ? { met: load.requestsPerSecond >= LEAST_RATE && load.p99 <= LONGEST_P99_MS } : {}),
  })),
  {
    what: `CPU of an append with ${MANY} events, of that with ${FEW}`,
    measured: `${growth.toFixed(2)}x`,
    bar: `at most ${MOST_GROWTH}x`,
    met: growth <= MOST_GROWTH,
  },
  {
    what: 'appends that ran again, and failures',
    measured: `${few.retries + many.retries}, ${few.failures + many.failures}`,
    bar: 'none',
    met: few.retries + many.retries + few.failures + many.failures === 0,
  },
]
for (const { what, measured } of rows) console.log(`${what}: ${measured}`)
report(rows)
if (rows.some((row) => 'met' in row && row.met === false)) process.exitCode = 1
