import { filledVault } from './support/filled.ts'
import { drive, median } from './support/load.ts'
import { report } from './support/report.ts'
import { searchesBy } from './support/searches.ts'
import { startProcess, startVault } from './support/servers.ts'

/**
 * Searches of one worker over HTTP on 8 connections. At full speed they are compared with a bare route that asks SQLite's own
 * full text index. At 70 % of the maximum, p99 is compared with p50.
 */
const SECONDS = Number(process.env.SECONDS ?? 8)
const CARDS = Number(process.env.CARDS ?? 100_000)
const ROUNDS = 3
const SHARE_OF_MAXIMUM = 0.7
const LONGEST_TAIL = 4
const LEAST_FASTER = 4
const LEAST_PER_SECOND = 250

const vault = await filledVault('sqlite', CARDS, 100)
const requests = searchesBy(vault.headers)
const rawRequests = requests.map((request) => ({ ...request, path: '/' }))
const server = await startVault(vault.env)
const raw = await startProcess('bench/support/raw-server.ts', vault.env, '/')
await drive(server.url, requests, 2)
await drive(raw.url, rawRequests, 2)
const tails: number[] = []
const rates: number[] = []
const faster: { p50: number; p97: number }[] = []
for (let round = 0; round < ROUNDS; round++) {
  const yardstick = await drive(raw.url, rawRequests, SECONDS)
  const most = await drive(server.url, requests, SECONDS)
  const rate = Math.floor(most.requestsPerSecond * SHARE_OF_MAXIMUM)
  const paced = await drive(server.url, requests, SECONDS, { rate })
  if (most.failures + paced.failures + yardstick.failures > 0) throw new Error('some were not answered')
  tails.push(paced.p99 / paced.p50)
  rates.push(most.requestsPerSecond)
  faster.push({ p50: yardstick.p50 / most.p50, p97: yardstick.p97 / most.p97 })
  console.log(
    `most ${most.requestsPerSecond.toFixed(0)}/s, p50 ${most.p50} ms, p97.5 ${most.p97} ms (raw ${yardstick.requestsPerSecond.toFixed(0)}/s, ${yardstick.p50} ms, ${yardstick.p97} ms); at ${rate}/s p50 ${paced.p50} ms, p99 ${paced.p99} ms`,
  )
}
await server.stop()
await raw.stop()
await vault.remove()

const times = (ratio: number) => `${ratio.toFixed(1)}x`
const tail = median(tails)
const perSecond = median(rates)
const [p50, p97] = [median(faster.map((one) => one.p50)), median(faster.map((one) => one.p97))]
const rows = [
  {
    what: `search at 70 % of the maximum, ${CARDS} cards: p99 of p50`,
    measured: times(tail),
    bar: `at most ${LONGEST_TAIL}x`,
    met: tail <= LONGEST_TAIL,
  },
  {
    what: `searches a second of one worker on 8 connections, ${CARDS} cards`,
    measured: perSecond.toFixed(0),
    bar: `at least ${LEAST_PER_SECOND}`,
    met: perSecond >= LEAST_PER_SECOND,
  },
  ...(
    [
      ['p50', p50],
      ['p97.5', p97],
    ] as const
  ).map(([name, ratio]) => ({
    what: `search over HTTP on 8 connections, ${CARDS} cards: ${name}, raw of ours`,
    measured: times(ratio),
    bar: `at least ${LEAST_FASTER}x`,
    met: ratio >= LEAST_FASTER,
  })),
]
report(rows)
if (rows.some((row) => !row.met)) process.exitCode = 1
