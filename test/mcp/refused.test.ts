import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LiveVault, liveVault, registerPerson } from '../support/live.ts'

let vault: LiveVault
let headers: Record<string, string>

beforeAll(async () => {
  vault = await liveVault()
  headers = {
    authorization: `Bearer ${(await registerPerson(vault)).token}`,
    'content-type': 'application/json',
  }
})
afterAll(() => vault.close())

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const BOTH = { accept: 'application/json, text/event-stream' }

type Era = '2026-07-28' | '2025-11-25'

async function call(era: Era, method: string, params: Record<string, unknown>) {
  const isModern = era === '2026-07-28'
  const name = params.name ?? params.uri
  const answer = await fetch(`${vault.url}/mcp`, {
    method: 'POST',
    headers: {
      ...headers,
      ...BOTH,
      'mcp-protocol-version': era,
      ...(isModern ? { 'mcp-method': method } : {}),
      ...(isModern && typeof name === 'string' ? { 'mcp-name': name } : {}),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: isModern ? { ...params, _meta: META } : params,
    }),
  })
  const text = await answer.text()
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)
}

const prompt = { name: 'start_of_session' }
const argument = { name: 'project_key', value: 'a' }
const WRONG: readonly [method: string, params: Record<string, unknown>, names: string][] = [
  ['tools/list', { cursor: 5 }, 'cursor'],
  ['tools/call', { name: 'list_workspaces', arguments: 'all' }, 'arguments'],
  ['resources/list', { cursor: null }, 'cursor'],
  ['resources/templates/list', { cursor: [] }, 'cursor'],
  ['resources/read', { uri: ['vault://guide'] }, 'uri'],
  ['prompts/list', { cursor: {} }, 'cursor'],
  ['prompts/get', { ...prompt, arguments: ['org/repo'] }, 'arguments'],
  ['prompts/get', { ...prompt, arguments: { project_key: 5 } }, 'project_key'],
  ['completion/complete', { ref: null, argument }, 'ref'],
  ['completion/complete', { ref: { type: 'ref/prompt', ...prompt }, argument: 'a' }, 'argument'],
]

test.each<Era>(['2026-07-28', '2025-11-25'])(
  '%s: parameters of a wrong type are invalid, whatever the method, and the error names them',
  async (era) => {
    for (const [method, params, name] of WRONG) {
      const { error } = await call(era, method, params)
      const sent = `${method} ${JSON.stringify(params)}`
      expect(error?.code, sent).toBe(-32602)
      expect(error.message, sent).toContain(`Invalid ${method} request`)
      expect(error.message, sent).toContain(name)
    }
  },
)

test('2025-11-25: so are those of initialize', async () => {
  const { error } = await call('2025-11-25', 'initialize', { protocolVersion: 5 })
  expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('protocolVersion') })
})

/** Sends the head of a request and nothing of its body; answers with the status. */
const statusBeforeBody = (more: Record<string, string>) =>
  new Promise<number | undefined>((resolve, reject) => {
    const sent = request(`${vault.url}/mcp`, {
      method: 'POST',
      headers: { ...headers, ...more, 'content-length': 1000 },
    })
    sent.on('response', (answer) => {
      resolve(answer.statusCode)
      sent.destroy()
    })
    sent.on('error', reject)
    sent.flushHeaders()
  })

test.each<[string, Record<string, string>]>([
  ['nothing', {}],
  ['only JSON', { accept: 'application/json' }],
  ['anything', { accept: '*/*', 'mcp-protocol-version': '2025-11-25' }],
])('a client that accepts %s is refused before its body is read', async (_what, more) => {
  expect(await statusBeforeBody(more)).toBe(406)
})

test('the refusal is an error of the protocol, and says what to accept', async () => {
  const answer = await fetch(`${vault.url}/mcp`, { method: 'POST', headers, body: '{}' })
  expect(answer.status).toBe(406)
  expect(await answer.json()).toMatchObject({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32000, message: expect.stringContaining('text/event-stream') },
  })
})
