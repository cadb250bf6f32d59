import { drive, median, type Request } from './support/load.ts'
import { JSON_HEADERS, postJson } from './support/post-json.ts'
import { report } from './support/report.ts'
import { cpuSeconds, startVault } from './support/servers.ts'

/** CPU time of one cheap tool call through MCP, against the same call at the tool endpoint. Bar: three times. */
const SECONDS = Number(process.env.SECONDS ?? 4)
const ROUNDS = 3
const BAR = 3

const vault = await startVault()
const { access_token } = await postJson(vault.url, '/api/v1/auth/register', {
  email: 'bench@example.com',
  password: 'a long password',
})
const BEARER = { authorization: `Bearer ${access_token}` }
const { api_key } = await postJson(vault.url, '/api/v1/auth/api-keys', { name: 'bench' }, BEARER)
const HEADERS = {
  ...JSON_HEADERS,
  'x-api-key': api_key as string,
  accept: 'application/json, text/event-stream',
}
const CARD = {
  title: 'npm ci fails with EACCES in the build image',
  symptom: 'npm ci ends with EACCES: permission denied, mkdir node_modules, but only inside the build image.',
  fix_summary:
    'The image copies the sources as root and builds as the user node. Copy with --chown=node:node.',
}
const { card_id } = await postJson(vault.url, '/api/v1/cards', CARD, HEADERS)

const PARAMS = { name: 'get_card', arguments: { card_id } }
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const message = (extra: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...PARAMS, ...extra } })

const requests: Record<string, Request> = {
  'tool endpoint': {
    method: 'POST',
    path: '/mcp/tools/get_card',
    headers: HEADERS,
    body: JSON.stringify({ card_id }),
  },
  'MCP 2026-07-28': {
    method: 'POST',
    path: '/mcp',
    headers: {
      ...HEADERS,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'get_card',
    },
    body: message({ _meta: META }),
  },
  'MCP 2025-11-25': {
    method: 'POST',
    path: '/mcp',
    headers: { ...HEADERS, 'mcp-protocol-version': '2025-11-25' },
    body: message({}),
  },
}

const cost = new Map<string, number[]>(Object.keys(requests).map((name) => [name, []]))
for (const request of Object.values(requests)) await drive(vault.url, request, 1)
for (let round = 0; round < ROUNDS; round++)
  for (const [name, request] of Object.entries(requests)) {
    const before = cpuSeconds(vault.pid)
    const load = await drive(vault.url, request, SECONDS)
    if (load.failures > 0) throw new Error(`${name}: ${load.failures} failures`)
    const calls = load.requestsPerSecond * SECONDS
    cost.get(name)?.push(((cpuSeconds(vault.pid) - before) / calls) * 1e6)
  }

const base = median(cost.get('tool endpoint') ?? [])
const rows = [...cost].map(([name, values]) => {
  const microseconds = median(values)
  return {
    call: `get_card by ${name}`,
    'CPU µs': Math.round(microseconds),
    times: (microseconds / base).toFixed(2),
  }
})
console.table(rows)
report(
  rows.map((row) => ({
    what: `${row.call}, CPU against the tool endpoint`,
    measured: `${row.times} (${row['CPU µs']} µs)`,
    bar: `at most ${BAR}`,
    met: Number(row.times) <= BAR,
  })),
)
await vault.stop()
if (rows.some((row) => Number(row.times) > BAR)) {
  console.error(`A call through MCP costs more than ${BAR} times the tool endpoint.`)
  process.exit(1)
}
