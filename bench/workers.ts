import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { filledVault } from './support/filled.ts'
import { drive, median } from './support/load.ts'
import { report } from './support/report.ts'
import { searchesBy } from './support/searches.ts'
import { cpuSeconds, startVault } from './support/servers.ts'

/**
 * Searches per second of two workers behind one port on SQLite, against one. Where load and workers do not have a core each,
 * searches per second of processor time are compared, as if two workers had twice of it.
 */
const SECONDS = Number(process.env.SECONDS ?? 6)
const WARM_UP_SECONDS = 2 * SECONDS
const CARDS = Number(process.env.CARDS ?? 100_000)
const ROUNDS = 3
const BAR = 1.7
const ENOUGH_CORES = 4

const vault = await filledVault('sqlite', CARDS, 100)
const requests = searchesBy(vault.headers)

/** With the workers that it has started. */
function cpuOfAll(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  return [pid, ...children.map(Number)].reduce((sum, one) => sum + cpuSeconds(one), 0)
}

type Searches = { perSecond: number; perCpuSecond: number }

async function searchesOf(workers: number): Promise<Searches> {
  const server = await startVault({ ...vault.env, WORKERS: String(workers) })
  await drive(server.url, requests, WARM_UP_SECONDS, { connections: 16 })
  const before = cpuOfAll(server.pid)
  const load = await drive(server.url, requests, SECONDS, { connections: 16 })
  const cpu = cpuOfAll(server.pid) - before
  await server.stop()
  if (load.failures > 0) throw new Error(`${workers} workers: ${load.failures} failures`)
  return {
    perSecond: load.requestsPerSecond,
    perCpuSecond: (load.requestsPerSecond * SECONDS) / cpu,
  }
}

const [byRate, byCpu]: [number[], number[]] = [[], []]
for (let round = 0; round < ROUNDS; round++) {
  const [one, two] = [await searchesOf(1), await searchesOf(2)]
  byRate.push(two.perSecond / one.perSecond)
  byCpu.push((2 * two.perCpuSecond) / one.perCpuSecond)
  const say = (searches: Searches) =>
    `${searches.perSecond.toFixed(0)}/s, ${searches.perCpuSecond.toFixed(0)} per CPU second`
  console.log(`one worker ${say(one)}; two ${say(two)}`)
}
await vault.remove()
const cores = availableParallelism()
const ratio = median(cores >= ENOUGH_CORES ? byRate : byCpu)
report([
  {
    what: `search, two workers of one, ${CARDS} cards, 200 queries, ${cores} cores with the load on them`,
    measured: `${ratio.toFixed(2)}x${cores < ENOUGH_CORES ? ` by CPU, ${median(byRate).toFixed(2)}x a second` : ''}`,
    bar: `at least ${BAR}x`,
    met: ratio >= BAR,
  },
])
if (ratio < BAR) process.exitCode = 1
