import { availableParallelism } from 'node:os'
import { filledVault } from './support/filled.ts'
import { drive, median, postsBy, type Request } from './support/load.ts'
import { report } from './support/report.ts'
import { type Server, startVault } from './support/servers.ts'
import { limitTo } from './support/share.ts'

/** Requests per second of two nodes on one PostgreSQL, against one node, with mostly reads. */
const SECONDS = Number(process.env.SECONDS ?? 6)
const CARDS = Number(process.env.CARDS ?? 20_000)
const ROUNDS = 3
const BAR = 1.6
/** The share of a core for each node. The rest of the two cores is for the database and the load. */
const SHARE = Number(process.env.SHARE ?? 0.35)

const vault = await filledVault('postgres', CARDS, 1000)
const { headers } = vault
const post = postsBy(headers)
const text = 'connection timeout while the build waits'
const MIX: { request: Request; connections: number }[] = [
  { request: post('/api/v1/search', { query: text, scope: 'public' }), connections: 3 },
  { request: { path: `/api/v1/cards/${vault.cardId}`, headers }, connections: 2 },
  {
    request: { path: '/api/v1/project-context/snapshot?project_key=bench/project0', headers },
    connections: 2,
  },
  { request: post('/api/v1/cards', { title: text, symptom: text, fix_summary: text }), connections: 1 },
]

async function throughput(nodes: readonly Server[]): Promise<number> {
  const loads = await Promise.all(
    nodes.flatMap(({ url }) =>
      MIX.map(({ request, connections }) => drive(url, request, SECONDS, { connections })),
    ),
  )
  const failures = loads.reduce((sum, load) => sum + load.failures, 0)
  if (failures > 0) throw new Error(`${nodes.length} nodes: ${failures} failures`)
  return loads.reduce((sum, load) => sum + load.requestsPerSecond, 0)
}

const nodes = [await startVault(vault.env), await startVault(vault.env)]
const limits = nodes.map((node) => limitTo(SHARE, node.pid))
const limited = limits.every((limit) => limit !== undefined)
await throughput(nodes)
const ratios: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  const [one, two] = [await throughput(nodes.slice(0, 1)), await throughput(nodes)]
  ratios.push(two / one)
  console.log(`one node ${one.toFixed(0)}/s, two ${two.toFixed(0)}/s, ${(two / one).toFixed(2)}x`)
}
for (const node of nodes) await node.stop()
for (const limit of limits) limit?.remove()
await vault.remove()
const ratio = median(ratios)
report([
  {
    what: `mostly reads, two nodes of one, ${CARDS} cards, ${limited ? `${SHARE} of a core for a node, ` : ''}${availableParallelism()} cores with database and load on them`,
    measured: `${ratio.toFixed(2)}x`,
    bar: `at least ${BAR}x`,
    met: ratio >= BAR,
  },
])
if (ratio < BAR) process.exitCode = 1
