import { randomBytes } from 'node:crypto'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiKeyOf, type LiveVault, liveVault, type Person, registerPerson } from '../support/live.ts'

let vault: LiveVault
let person: Person
let key: string

beforeAll(async () => {
  vault = await liveVault()
  person = await registerPerson(vault)
  key = await apiKeyOf(person)
})
afterAll(() => vault.close())

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

type Headers = Record<string, string>

async function post(body: unknown, headers: Headers = {}, path = '/mcp') {
  const response = await fetch(vault.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-api-key': key,
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text
  return { status: response.status, headers: response.headers, body: data ? JSON.parse(data) : undefined }
}

const modern = (
  method: string,
  params: Record<string, unknown> = {},
  headers: Headers = {},
  path = '/mcp',
) => {
  const name = params.name ?? params.uri
  return post(
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } },
    {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      ...headers,
    },
    path,
  )
}

async function connect(mode: 'legacy' | 'auto', headers: Headers = { 'x-api-key': key }) {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${vault.url}/mcp`), { requestInit: { headers } }),
  )
  return client
}

describe.each(['legacy', 'auto'] as const)('a client of the SDK (%s)', (mode) => {
  test('connects, learns how to use the vault, lists tools and calls one', async () => {
    const client = await connect(mode)
    expect(client.getInstructions()).toContain('get_project_context')
    expect(client.getServerVersion()).toMatchObject({ name: 'knowledge-vault' })
    const { tools } = await client.listTools()
    const guide = tools.find((tool) => tool.name === 'get_ai_guide')
    expect(guide).toMatchObject({ annotations: { readOnlyHint: true }, outputSchema: { type: 'object' } })
    const result = await client.callTool({ name: 'get_ai_guide', arguments: {} })
    expect(result.isError).toBeFalsy()
    expect(result.structuredContent).toMatchObject({
      success: true,
      tool: 'get_ai_guide',
      credits_charged: 0,
    })
    const [text] = result.content as { text: string }[]
    expect(JSON.parse(text?.text ?? '')).toEqual(result.structuredContent)
    await client.close()
  })

  test('reads the guide as a resource and gets the prompts', async () => {
    const client = await connect(mode)
    const { resources } = await client.listResources()
    expect(resources.map((resource) => resource.uri)).toContain('vault://guide')
    const { contents } = await client.readResource({ uri: 'vault://guide' })
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ version: '1.5.10' })
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map((template) => template.uriTemplate)).toEqual([
      'card://{card_id}',
      'project://{project_key}',
      'event://{raw_id}',
    ])
    const { prompts } = await client.listPrompts()
    expect(prompts.map((prompt) => prompt.name)).toEqual([
      'start_of_session',
      'record_what_we_fixed',
      'prepare_for_publishing',
    ])
    const prompt = await client.getPrompt({
      name: 'start_of_session',
      arguments: { project_key: 'org/repo' },
    })
    expect(JSON.stringify(prompt.messages)).toContain('org/repo')
    await expect(client.getPrompt({ name: 'start_of_session' })).rejects.toThrow('project_key')
    for (const uri of ['card://nonsense', 'vault://guidelines', 'vault://guide/x'])
      await expect(client.readResource({ uri }), uri).rejects.toThrow(/not found/i)
    await client.close()
  })

  test('is told by the tool itself what is wrong with a call', async () => {
    const client = await connect(mode)
    const wrong = await client.callTool({ name: 'get_ai_guide', arguments: { baseurl: 'x' } })
    expect(wrong.isError).toBe(true)
    const [text] = wrong.content as { text: string }[]
    expect(JSON.parse(text?.text ?? '')).toMatchObject({
      status: 422,
      detail: [{ type: 'extra_forbidden', loc: ['body', 'baseurl'] }],
    })
    await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toThrow('Unknown tool')
    // What is no name is not repeated to a model: a key that was pasted, characters that hide, a whole text.
    const token = `ghp_${randomBytes(18).toString('hex')}`
    const pasted = { name: `x ${token}\u202e\n${'long '.repeat(100)}` }
    const shown = expect.toSatisfy(
      ({ message }: Error) => !/ghp_|\u202e|\n/.test(message) && message.length < 300,
    )
    await expect(client.callTool({ ...pasted, arguments: {} })).rejects.toEqual(shown)
    await expect(client.getPrompt(pasted)).rejects.toEqual(shown)
    await expect(client.readResource({ uri: `card://${pasted.name}` })).rejects.toEqual(shown)
    await client.close()
  })
})

describe('a plain call is answered as the protocol library answers it', () => {
  const calls = [
    { name: 'get_ai_guide', arguments: {} },
    { name: 'list_workspaces' },
    { name: 'get_card', arguments: { card_id: 'none' } },
    { name: 'get_card', arguments: { card_id: '00000000-0000-4000-8000-000000000000' } },
    { name: 'search_records', arguments: { query: 'nothing like it', scope: 'personal' } },
  ]
  const eras = {
    '2025-11-25': (params: Record<string, unknown>) =>
      post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { 'mcp-protocol-version': '2025-11-25' }),
    '2026-07-28': (params: Record<string, unknown>) => modern('tools/call', params),
  }
  test.each(Object.entries(eras))('%s', async (_era, send) => {
    for (const call of calls) {
      const plain = await send(call)
      // A field that means nothing is enough for the library to take it.
      const other = await send({ ...call, ignored: true })
      expect(plain.status, call.name).toBe(200)
      expect(plain.headers.get('content-type')).toMatch(/^application\/json/)
      expect(timeless(plain.body), call.name).toEqual(timeless(other.body))
    }
  })
})

/** Whatever the search took, both took nothing; and the marks around texts are new each time. */
const timeless = (body: unknown) =>
  JSON.parse(
    JSON.stringify(body)
      .replaceAll(/(took_ms\\*":)[\d.]+/g, '$10')
      .replaceAll(/vault-data-[0-9a-f]{12}/g, 'vault-data'),
  )

test('cards and the memory of a project are resources, under the same permissions as the tools', async () => {
  const client = await connect('auto')
  const card = await person.post('/api/v1/cards', {
    title: 'Pool exhausted under load',
    symptom: 'Requests hang',
    fix_summary: 'Release the client',
    tags: ['pool'],
    steps: [{ order: 1, action: 'release', result: 'free' }],
    evidences: [{ kind: 'log', content: '```\nfenced\n```' }],
  })
  const read = await client.readResource({ uri: `card://${card.body.card_id}` })
  const markdown = (read.contents[0] as { text: string }).text
  expect(read.contents[0]?.mimeType).toBe('text/markdown')
  expect(markdown).toContain('# Pool exhausted under load')
  expect(markdown).toContain('1. release → free')
  expect(markdown).toContain('````\n```\nfenced')

  await person.tool('append_context_turn', {
    project_key: 'org/repo',
    user_message: 'hello',
    agent_report: 'done',
  })
  const memory = await client.readResource({
    uri: `project://${encodeURIComponent('https://github.com/org/repo')}`,
  })
  expect((memory.contents[0] as { text: string }).text).toContain('done')
  const withNul = await client.readResource({ uri: 'project://org%2Fre%00po' })
  expect((withNul.contents[0] as { text: string }).text).toContain('done')

  const stranger = await registerPerson(vault, 'stranger@example.com')
  const other = await connect('auto', { 'x-api-key': await apiKeyOf(stranger) })
  await expect(other.readResource({ uri: `card://${card.body.card_id}` })).rejects.toThrow(/not found/i)
  await expect(other.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow(/not found/i)
  await Promise.all([client.close(), other.close()])
})

test('without a credential: 401 that leads to the metadata and names the scopes', async () => {
  const answer = await modern('tools/list', {}, { 'x-api-key': '' })
  expect(answer.status).toBe(401)
  const challenge = answer.headers.get('www-authenticate')
  expect(challenge).toContain(`resource_metadata="${vault.url}/.well-known/oauth-protected-resource/mcp"`)
  expect(challenge).toContain('scope="search record case:write publish workspace:write"')
  expect(challenge).not.toContain('error=')
})

test('with a wrong credential: 401 that says so', async () => {
  for (const key of ['kv_wrong', 'neither a key nor a token']) {
    const answer = await modern('tools/list', {}, { 'x-api-key': key })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"')
  }
})

test('tools/list shows only what the scopes allow, and a call beyond them is refused by name', async () => {
  const narrow = await apiKeyOf(person, ['publish'])
  const listed = await modern('tools/list', {}, { 'x-api-key': narrow })
  expect(listed.body.result.tools.map((tool: { name: string }) => tool.name)).not.toContain('get_ai_guide')
  const refused = await modern('tools/call', { name: 'get_ai_guide', arguments: {} }, { 'x-api-key': narrow })
  expect(refused.status).toBe(200)
  expect(refused.body.result.isError).toBe(true)
  expect(JSON.parse(refused.body.result.content[0].text)).toMatchObject({
    status: 403,
    code: 'missing_scope',
    required_scopes: ['search'],
  })
})

test('the core profile lists the core tools, another profile is refused', async () => {
  const core = await modern('tools/list', {}, {}, '/mcp?profile=core')
  const names = core.body.result.tools.map((tool: { name: string }) => tool.name)
  expect(names).toContain('get_ai_guide')
  expect(names).not.toContain('list_workspaces')
  expect((await modern('tools/list', {}, {}, '/mcp?profile=tiny')).status).toBe(400)
})

test('2026-07-28: discover, lifetimes and result types', async () => {
  const discover = await modern('server/discover')
  expect(discover.body.result).toMatchObject({ supportedVersions: ['2026-07-28'], resultType: 'complete' })
  expect(discover.body.result.ttlMs).toBeGreaterThan(0)
  const tools = await modern('tools/list')
  expect(tools.body.result).toMatchObject({ resultType: 'complete', cacheScope: 'private' })
})

test.each(['2025-11-25', '2025-06-18'])(
  'initialize of %s is answered in that version',
  async (protocolVersion) => {
    const answer = await post({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    })
    expect(answer.body.result).toMatchObject({ protocolVersion, serverInfo: { name: 'knowledge-vault' } })
  },
)

test('a header of 2025-11-25 on a body of 2026-07-28 is tolerated, every other disagreement is not', async () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: META } }
  const tolerated = await post(body, { 'mcp-protocol-version': '2025-11-25' })
  expect(tolerated.status).toBe(200)
  expect(tolerated.body.result.resultType).toBe('complete')
  expect((await post(body, { 'mcp-protocol-version': '2025-06-18' })).status).toBe(400)
  expect((await modern('tools/list', {}, { 'mcp-method': 'tools/call' })).status).toBe(400)
})

test('a foreign Host or Origin is refused before anything else', async () => {
  const origin = await modern('tools/list', {}, { origin: 'https://evil.example.com' })
  expect(origin.status).toBe(403)
  const { statusCode, body } = await vault.app.server.inject({
    method: 'POST',
    url: '/mcp',
    headers: { host: 'evil.example.com', 'x-api-key': key, 'content-type': 'application/json' },
    payload: '{}',
  })
  expect(statusCode).toBe(403)
  expect(body).toContain('ALLOWED_HOSTS')
})

test('several calls in one request are refused: each has to pass the limits by itself', async () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const answer = await post([ping, { ...ping, id: 2 }])
  expect([answer.status, answer.body.error.code]).toEqual([400, -32600])
})

test('a body that is not JSON gets a JSON-RPC parse error, a GET a 405', async () => {
  const broken = await post('{"jsonrpc":')
  expect(broken.status).toBe(400)
  expect(broken.body.error.code).toBe(-32700)
  const deep = await post(`{"jsonrpc":"2.0","id":1,"method":${'['.repeat(101)}${']'.repeat(101)}}`)
  expect([deep.status, deep.body.error.message]).toEqual([400, expect.stringContaining('100 levels')])
  expect((await fetch(`${vault.url}/mcp`, { headers: { 'x-api-key': key } })).status).toBe(405)
})
