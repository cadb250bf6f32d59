import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { runKvault } from '../support/process.ts'

const TOKEN = ['gh', 'p_', 'a8Kd03mX'.repeat(5).slice(0, 36)].join('')
const WORD = ['Kq7', 'zT4m', 'Wp2x'].join('!')
const SECRET = `DB_PASSWORD=${WORD} git push https://x:${TOKEN}@github.com/org/app`
const ID = '0190a000-0000-7000-8000-000000000000'

let server: Server
let home: string
let url: string
/** Everything that reached the server: addresses and bodies. */
let heard: string[]

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'knowledge-vault-home-'))
  server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    heard.push(`${decodeURIComponent(request.url ?? '')} ${request.headers['mcp-name'] ?? ''} ${text}`)
    response.writeHead(418, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ detail: 'Not here.', code: 'teapot' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  writeFileSync(join(home, 'card.json'), JSON.stringify({ title: 'T', symptom: SECRET, fix_summary: 'F' }))
  writeFileSync(join(home, 'draft.json'), JSON.stringify({ title: SECRET }))
  writeFileSync(join(home, '.kvault.json'), JSON.stringify({ project_key: `app-${TOKEN}` }))
})
beforeEach(() => {
  heard = []
})
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve))
  rmSync(home, { recursive: true, force: true })
})

const kvault = (args: string[], input = '') =>
  runKvault(args, { HOME: home, KVAULT_URL: url, KVAULT_API_KEY: 'kv_x' }, { cwd: home, input })

const VERSION = { 'io.modelcontextprotocol/protocolVersion': '2026-01-01' }

const call = (params: object, method = 'tools/call') =>
  `${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`

test.each<[string[], string?]>([
  [['search', SECRET]],
  [['record', '--title', 'T', '--symptom', SECRET, '--fix', 'F', '--workspace', ID]],
  [['record', '--file', 'card.json', '--workspace', ID]],
  [['report', ID, '--kind', 'wrong', '--note', SECRET]],
  [['context', `https://x:${TOKEN}@github.com/org/app`]],
  [['drafts', 'edit', ID, '--file', 'draft.json']],
  [['mcp'], call({ name: 'search_records', arguments: { query: SECRET } })],
  [['mcp'], call({ name: 'record_card', arguments: { workspace_id: ID, card_payload: { note: SECRET } } })],
  [['mcp'], call({ ref: {}, argument: { name: 'query', value: SECRET } }, 'completion/complete')],
  [
    ['mcp'],
    call({ ref: {}, argument: {}, context: { arguments: { project: SECRET } } }, 'completion/complete'),
  ],
  [['mcp'], call({ uri: `vault://search?q=${SECRET}`, _meta: VERSION }, 'resources/read')],
  [['mcp'], call({ name: TOKEN, arguments: {}, _meta: { ...VERSION, note: SECRET } })],
  [['mcp'], call([SECRET])],
  [['mcp'], call({ requestId: 1, reason: SECRET }, 'notifications/cancelled')],
  [['record', '--file', '-', '--workspace', ID], JSON.stringify({ title: 'T', [TOKEN]: 1, password: WORD })],
])('no secret of %j reaches the vault, and the person is told', async (args, input) => {
  const { stderr } = await kvault(args, input)
  expect(heard.length).toBeGreaterThan(0)
  for (const secret of [TOKEN, WORD]) expect(heard.join('\n')).not.toContain(secret)
  expect(stderr).toMatch(/Secrets were replaced before anything was sent: \d/)
})

test('the name that a folder gives itself is looked up without the secret in it', async () => {
  await kvault(['context'])
  expect(heard.join('\n')).toMatch(/project_key=app-</)
  expect(heard.join('\n')).not.toContain(TOKEN)
})

test('a batch, which no vault takes, is not passed on', async () => {
  const { stdout } = await kvault(['mcp'], `[${call({ name: 'x', arguments: { query: SECRET } }).trim()}]\n`)
  expect(JSON.parse(stdout).error.message).toBe('Not a JSON-RPC message')
  expect(heard).toEqual([])
})

test('a message without a secret arrives as it was written, and so does a password', async () => {
  const line =
    '{"jsonrpc":"2.0", "id":1,"method":"tools/call","params":{"name":"x","arguments":{"n":12345678901234567890}}}'
  await kvault(['mcp'], `${line}\n`)
  expect(heard[0]).toBe(`/mcp  ${line}`)
  await kvault(['login', '--email', 'a@example.com', '--password-stdin'], TOKEN)
  expect(heard.at(-1)).toContain(JSON.stringify({ email: 'a@example.com', password: TOKEN }))
})
