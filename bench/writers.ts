import { availableParallelism } from 'node:os'
import { filledVault } from './support/filled.ts'
import { drive, median, postsBy } from './support/load.ts'
import { report } from './support/report.ts'
import { startVault } from './support/servers.ts'

/**
 * How long a write waits on SQLite when many workers write. SQLite has one writer at a time, so workers in several processes wait for
 * its lock. Measured at half of the rate of one worker, with one worker and with one for each core.
 */
/** A load shorter than three seconds does not reach its rate. */
const SECONDS = Math.max(3, Number(process.env.SECONDS ?? 6))
const WARM_SECONDS = 3
const ROUNDS = 3
const CONNECTIONS = 16
const MOST_WORKERS = 14
const BAR = 2

const WORKERS = Math.max(2, Math.min(MOST_WORKERS, availableParallelism()))
const vault = await filledVault('sqlite', 1000, 1000)
const request = postsBy(vault.headers)('/api/v1/project-context/events', {
  project_key: 'bench/writers',
  event_type: 'user_message',
  content: 'The import stops with a timeout while it waits for the lock of the table.',
})

async function p99With(workers: number, rate?: number) {
  const server = await startVault({ ...vault.env, WORKERS: String(workers) })
  // Long enough that each of many workers has compiled what it runs.
  await drive(server.url, request, WARM_SECONDS, { connections: CONNECTIONS })
  const load = await drive(server.url, request, SECONDS, {
    connections: CONNECTIONS,
    ...(rate === undefined ? {} : { rate }),
  })
  await server.stop()
  if (load.failures > 0) throw new Error(`${workers} workers: ${load.failures} failures`)
  if (load.p99 === 0) throw new Error(`${workers} workers: nothing was measured`)
  return load
}

const most = await p99With(1)
const rate = Math.round(most.requestsPerSecond / 2)
const ratios: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  const [one, many] = [await p99With(1, rate), await p99With(WORKERS, rate)]
  ratios.push(many.p99 / one.p99)
  console.log(`${rate} appends a second: p99 ${one.p99} ms with one worker, ${many.p99} ms with ${WORKERS}`)
}
await vault.remove()
const ratio = median(ratios)
report([
  {
    what: `append at ${rate}/s, half of what one worker does: p99 with ${WORKERS} workers, of one`,
    measured: `${ratio.toFixed(2)}x`,
    bar: `at most ${BAR}x`,
    met: ratio <= BAR,
  },
])
if (ratio > BAR) process.exitCode = 1
