import { drive, median, type Request } from './support/load.ts'
import { JSON_HEADERS, postJson } from './support/post-json.ts'
import { report } from './support/report.ts'
import { cpuSeconds, type Server, startProcess, startVault } from './support/servers.ts'

/** Requests per second of a route through all of the product, against a bare Fastify route with the same bytes. */
const SECONDS = Number(process.env.SECONDS ?? 4)
const ROUNDS = 3

const CARD = {
  title: 'npm ci fails with EACCES in the build image',
  symptom: 'npm ci ends with EACCES: permission denied, mkdir node_modules, but only inside the build image.',
  fix_summary:
    'The image copies the sources as root and builds as the user node. Copy with --chown=node:node.',
  root_cause: 'Files that were copied belong to root.',
  tags: ['npm', 'docker'],
  environment: { node: '24.1', os: 'debian' },
}

const vault = await startVault()
const { access_token } = await postJson(vault.url, '/api/v1/auth/register', {
  email: 'bench@example.com',
  password: 'a long password',
})
const { api_key } = await postJson(
  vault.url,
  '/api/v1/auth/api-keys',
  { name: 'bench' },
  { authorization: `Bearer ${access_token}` },
)
const HEADERS = { 'x-api-key': api_key as string }
const { card_id } = await postJson(vault.url, '/api/v1/cards', CARD, HEADERS)

/** Requests per second, and CPU time per request, which a busy machine does not blur. */
async function measure(server: Server, request: Request) {
  const before = cpuSeconds(server.pid)
  const load = await drive(server.url, request, SECONDS)
  const cpu = cpuSeconds(server.pid) - before
  return { ...load, cpuPerRequest: cpu / (load.requestsPerSecond * SECONDS) }
}

type Case = { name: string; bar: number; request: Request }

const CASES: Case[] = [
  {
    name: 'GET /api/v1/cards/{id}',
    bar: 0.5,
    request: { path: `/api/v1/cards/${card_id}`, headers: HEADERS },
  },
  {
    name: 'POST /api/v1/cards',
    bar: 0.12,
    request: {
      method: 'POST',
      path: '/api/v1/cards',
      headers: { ...HEADERS, ...JSON_HEADERS },
      body: JSON.stringify(CARD),
    },
  },
  {
    name: 'append_context_turn',
    bar: 0.2,
    request: {
      method: 'POST',
      path: '/mcp/tools/append_context_turn',
      headers: { ...HEADERS, ...JSON_HEADERS },
      body: JSON.stringify({
        project_key: 'bench/project',
        user_message: CARD.symptom,
        agent_report: CARD.fix_summary,
      }),
    },
  },
]

const rows = []
for (const { name, bar, request } of CASES) {
  const sample = await fetch(vault.url + request.path, {
    method: request.method ?? 'GET',
    headers: request.headers ?? {},
    ...(request.body ? { body: request.body } : {}),
  })
  const bytes = Buffer.from(await sample.arrayBuffer())
  const bare = await startProcess(
    'bench/support/bare-server.ts',
    { BODY_BASE64: bytes.toString('base64') },
    '/',
  )
  const bareRequest = { ...request, path: '/' }
  const ratios: number[] = []
  const cpuRatios: number[] = []
  const ours: number[] = []
  let failures = 0
  await drive(vault.url, request, 1)
  await drive(bare.url, bareRequest, 1)
  for (let round = 0; round < ROUNDS; round++) {
    const yardstick = await measure(bare, bareRequest)
    const measured = await measure(vault, request)
    cpuRatios.push(yardstick.cpuPerRequest / measured.cpuPerRequest)
    failures += measured.failures
    ours.push(measured.requestsPerSecond)
    ratios.push(measured.requestsPerSecond / yardstick.requestsPerSecond)
  }
  await bare.stop()
  const ratio = median(ratios)
  rows.push({
    route: name,
    'req/s': Math.round(median(ours)),
    ratio: ratio.toFixed(3),
    'cpu ratio': median(cpuRatios).toFixed(3),
    bar,
    met: ratio >= bar,
    failures,
  })
}
await vault.stop()
console.table(rows)
report(
  rows.map(({ route, ratio, bar, met, ...row }) => ({
    what: `${route}, of the bare route`,
    measured: `${ratio} (${row['req/s']} req/s, ${row.failures} failures)`,
    bar: `at least ${bar}`,
    met: met && row.failures === 0,
  })),
)
if (rows.some((row) => !row.met || row.failures > 0)) process.exitCode = 1
