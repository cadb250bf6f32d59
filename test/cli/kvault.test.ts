import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { capabilities } from '../../src/capabilities.ts'
import { toolsOf } from '../../src/core/invoke.ts'
import { type LiveVault, liveVault, registerPerson } from '../support/live.ts'
import { type CommandResult, spawnKvault } from '../support/process.ts'

const TOOLS = toolsOf(capabilities).length

let vault: LiveVault
let home: string

beforeAll(async () => {
  vault = await liveVault()
  home = mkdtempSync(join(tmpdir(), 'knowledge-vault-home-'))
  await registerPerson(vault, 'cli@example.com')
})
afterAll(async () => {
  await vault.close()
  rmSync(home, { recursive: true, force: true })
})

const kvault = (args: string[], input = '', env: Record<string, string> = {}): Promise<CommandResult> =>
  spawnKvault(args, { HOME: home, ...env }, { cwd: home, input })

test('without a key every command says how to get one', async () => {
  const result = await kvault(['search', 'anything', '--url', vault.url])
  expect(result.code).toBe(3)
  expect(result.stderr).toContain('kvault login')
})

test('login keeps a key that only its owner can read, and the wrong password is told', async () => {
  const wrong = await kvault(
    ['login', '--url', vault.url, '--email', 'cli@example.com', '--password-stdin'],
    'wrong\n',
  )
  expect(wrong.code).toBe(3)
  expect(wrong.stderr).not.toContain('kvault login')
  const file = join(home, '.config', 'kvault', 'profile.json')
  // As from a backup that has lost who may read what.
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '{}', { mode: 0o644 })
  const right = await kvault(
    ['login', '--url', vault.url, '--email', 'cli@example.com', '--password-stdin'],
    'correct horse battery\n',
  )
  expect(right.stderr).toBe('')
  expect(right.code).toBe(0)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  // Agents get this key: it opens the tools and nothing of the account.
  const { apiKey, userId } = JSON.parse(readFileSync(file, 'utf8'))
  const headers = { 'x-api-key': apiKey }
  const me = (await (await fetch(`${vault.url}/api/v1/auth/me`, { headers })).json()) as { user_id: string }
  expect(userId).toBe(me.user_id)
  expect((await fetch(`${vault.url}/api/v1/user/settings`, { headers })).status).toBe(403)
})

test('record, search and context work from the terminal, as text and as JSON', async () => {
  const card = {
    title: 'Ports in use',
    symptom: 'EADDRINUSE at start',
    fix_summary: 'Set PORT to a free one',
  }
  const recorded = await kvault(['record', '--file', '-', '--tag', 'ports', '--json'], JSON.stringify(card))
  expect(recorded.code).toBe(0)
  expect(JSON.parse(recorded.stdout)).toMatchObject({ title: 'Ports in use', tags: ['ports'] })
  const found = await kvault(['search', 'EADDRINUSE', 'start'])
  expect(found.stdout).toContain('Ports in use')
  expect(found.stdout).not.toContain('\u001b[')
  expect(JSON.parse((await kvault(['context', 'org/repo', '--json'])).stdout)).toMatchObject({
    total_events: 0,
  })
  expect((await kvault(['context', 'org/repo'])).stdout).toBe('org/repo  0 events\nNothing remembered yet.\n')
  const { apiKey } = JSON.parse(readFileSync(join(home, '.config/kvault/profile.json'), 'utf8'))
  const remembered = await fetch(`${vault.url}/api/v1/project-context/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({
      project_key: '__user__/preferences',
      event_type: 'fact_snapshot',
      content: 'Answer in English',
      meta: { fact_kind: 'user_preferences', confirmed_by_user: true },
    }),
  })
  expect(remembered.status).toBe(201)
  const preferences = await kvault(['context', '__user__/preferences'])
  expect(preferences.stdout).toBe('__user__/preferences  1 event\n\nYour preferences\nAnswer in English\n')
})

test('an event of memory is marked as outdated, and the mark is taken back', async () => {
  const { apiKey } = JSON.parse(readFileSync(join(home, '.config/kvault/profile.json'), 'utf8'))
  const answer = await fetch(`${vault.url}/api/v1/project-context/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({
      project_key: 'org/marked',
      event_type: 'agent_report',
      content: 'We keep prices for one hour. Nothing else is cached by the shop.',
    }),
  })
  const { raw_id } = (await answer.json()) as { raw_id: string }
  expect((await kvault(['outdated', 'no-id'])).stderr).toContain('is not the id of an event')
  expect((await kvault(['outdated', raw_id, '--passage', 'Something else entirely'])).code).toBe(1)
  const part = await kvault([
    'outdated',
    raw_id,
    '--wrong',
    '--passage',
    'We keep prices for one hour.',
    '--json',
  ])
  expect(JSON.parse(part.stdout)).toMatchObject({ raw_id, reason: 'wrong', whole: false })
  const whole = await kvault(['outdated', raw_id])
  expect(whole.stdout).toBe('Marked as outdated: the event stays away from recall.\n')
  expect((await kvault(['outdated', raw_id, '--undo', '--wrong'])).code).toBe(2)
  expect(JSON.parse((await kvault(['outdated', raw_id, '--undo', '--json'])).stdout)).toEqual({
    raw_id,
    removed: 2,
  })
  expect((await kvault(['outdated', raw_id, '--undo'])).stdout).toBe('It has no mark.\n')
})

test('a card goes to the workspace of the settings, unless another is named', async () => {
  const call = async <T>(method: string, path: string, body: unknown, token = ''): Promise<T> => {
    const answer = await fetch(vault.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    })
    expect(answer.ok).toBe(true)
    return (await answer.json()) as T
  }
  const account = { email: 'cli@example.com', password: 'correct horse battery' }
  const { access_token, user } = await call<{
    access_token: string
    user: { personal_workspace_id: string }
  }>('POST', '/api/v1/auth/login', account)
  const { workspace_id } = await call<{ workspace_id: string }>(
    'POST',
    '/api/v1/workspaces',
    { name: 'Team' },
    access_token,
  )
  const choose = (default_workspace_id: string | null) =>
    call('PUT', '/api/v1/user/settings', { default_workspace_id }, access_token)
  const recordedIn = async (...more: string[]) => {
    const card = ['--title', 'A title', '--symptom', 'It fails', '--fix', 'Mend it', '--json']
    return JSON.parse((await kvault(['record', ...card, ...more])).stdout).workspace_id
  }
  await choose(workspace_id)
  expect(await recordedIn()).toBe(workspace_id)
  expect(await recordedIn('--workspace', user.personal_workspace_id)).toBe(user.personal_workspace_id)
  await choose(null)
  expect(await recordedIn()).toBe(user.personal_workspace_id)
})

test('what the vault refuses is said in its own words', async () => {
  const result = await kvault(['record', '--file', '-'], '{"title": "only a title"}')
  expect(result.code).toBe(1)
  expect(result.stderr).toContain('symptom: Field required')
})

test('doctor finds what is wrong and what is right', async () => {
  const well = await kvault(['doctor'])
  expect(well.stdout).toMatch(/ok +Credential +accepted/)
  expect(well.stdout).toMatch(new RegExp(`ok +Scopes +\\d+ of ${TOOLS} tools`))
  expect(well.code).toBe(0)
  const away = await kvault(['doctor', '--url', 'http://127.0.0.1:9'])
  expect(away.code).toBe(1)
  expect(away.stdout).toContain('cannot be reached')
  const forged = await kvault(['doctor', '--key', 'kv_unknown'])
  expect(forged.code).toBe(3)
})

test('mcp says in words what a server answers that is no vault', async () => {
  const server = createServer((asked, answer) => {
    if (asked.url === '/old/mcp')
      answer.writeHead(308, { location: 'https://vault.example/mcp' }).end('moved')
    else if (asked.url === '/list/mcp') answer.writeHead(422).end('{"detail":[{"loc":["body"],"msg":"No"}]}')
    else if (asked.url === '/short/mcp')
      answer.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing yet\n\n')
    else if (asked.url === '/agrees/mcp' && asked.headers['mcp-method'] === 'initialize')
      answer
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end('data: {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}\n\n')
    else answer.writeHead(502).end(JSON.stringify({ detail: asked.headers['mcp-protocol-version'] }))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = async (at: string, ...before: string[]) => {
    const line = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
    const input = `${[...before, line].join('\n')}\n`
    const { stdout } = await kvault(['mcp', '--url', at, '--key', 'kv_unknown'], input)
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '').error.message
  }
  expect(await ask(`${url}/old`)).toContain('it leads elsewhere (https://vault.example/mcp)')
  expect(await ask(url)).toBe('The vault answered 502')
  expect(await ask(`${url}/list`)).toBe('The vault answered 422')
  expect(await ask(`${url}/short`)).toBe(`${url}/short ended its answer too early. Try again`)
  // The version that the answer to initialize names is in the headers of what follows, also if it came by a stream.
  const initialize = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}'
  expect(await ask(`${url}/agrees`, initialize)).toBe('2025-11-25')
  server.close()
})

test('mcp says what helps when its key is refused: a sign-in does not change the key of an entry', async () => {
  const line = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })}\n`
  const refusal = async (...args: string[]) =>
    JSON.parse((await kvault(['mcp', ...args], line)).stdout).error.message
  expect(await refusal('--key', 'kv_unknown')).toContain(
    `Give this entry another key, or run: kvault connect --url ${vault.url}`,
  )
  const other = await liveVault({ RATE_LIMIT: 'off' })
  expect(await refusal('--url', other.url)).toContain(`Run: kvault login --url ${other.url}`)
  await other.close()
})

test('mcp bridges initialize and tools/list to the vault', async () => {
  const messages = [
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} },
  ]
  const result = await kvault(['mcp'], `${messages.map((message) => JSON.stringify(message)).join('\n')}\n`)
  const replies = result.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(replies.find((reply) => reply.id === 1).result.serverInfo.name).toBeDefined()
  expect(replies.find((reply) => reply.id === 2).result.tools.length).toBeGreaterThan(10)
})

test('mcp answers a line that is no message, and goes on', async () => {
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping' })
  const { code, stdout, stderr } = await kvault(['mcp'], `null\n5\n"x"\n{\n${ping}\n`)
  const replies = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(replies.map(({ id, error }) => [id, error?.code])).toEqual([
    [null, -32600],
    [null, -32600],
    [null, -32600],
    [null, -32700],
    [7, undefined],
  ])
  expect([code, stderr]).toEqual([0, ''])
})

test('mcp answers under the id of the message, whatever the message has in its texts', async () => {
  const call = (id: number, method: string, params: object) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params })
  const deep = call(1, 'tools/call', {}).replace('{}', `${'['.repeat(101)}${']'.repeat(101)}`)
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const named = call(2, 'resources/read', { uri: 'project://世界', _meta })
  const unknown = ['a\nb', 'söker'].map((method, at) => call(3 + at, method, {}))
  const response = '{"jsonrpc":"2.0","id":5,"result":{}}'
  // JSON has them as they are, and they end no line.
  const separated = call(6, 'ping', { _meta: { note: 'one\u2028two\u2029three' } })
  const input = [deep, named, ...unknown, response, separated].join('\n')
  const replies = (await kvault(['mcp'], `${input}\n`)).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .sort((a, b) => a.id - b.id)
  expect(replies).toMatchObject([
    { id: 1, error: { code: -32700 } },
    { id: 2, result: { contents: [{ uri: 'project://世界' }] } },
    { id: 3, error: { code: -32601 } },
    { id: 4, error: { code: -32601 } },
    { id: 6, result: {} },
  ])
})

test('mcp puts a card where .kvault.json of the project says, unless the call names a workspace', async () => {
  const asked = (id: number, more = {}) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: {
      name: 'record_card',
      arguments: { title: `Bridge ${id}`, symptom: 'It is away', fix_summary: 'It goes home', ...more },
    },
  })
  const nowhere = '0190a000-0000-7000-8000-000000000000'
  const calls = [asked(1), asked(2, { workspace_id: nowhere })]
  const input = `${calls.map((message) => JSON.stringify(message)).join('\n')}\n`
  const file = join(home, '.kvault.json')
  const answers = async () =>
    (await kvault(['mcp'], input)).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .sort((a, b) => a.id - b.id)
      .map(({ result }) => result.isError === true)
  expect(await answers()).toEqual([false, true])
  // A workspace that is gone shows that it was sent.
  const lead = await registerPerson(vault, 'lead@example.com')
  const team = { name: 'Gone', visibility: 'public' }
  const { workspace_id } = (await lead.post('/api/v1/workspaces', team)).body
  writeFileSync(file, JSON.stringify({ workspace_id }))
  expect((await kvault(['allow-workspace', workspace_id, '--yes'])).code).toBe(0)
  await lead.delete(`/api/v1/workspaces/${workspace_id}?confirm_name=Gone`)
  expect(await answers()).toEqual([true, true])
  rmSync(file)
})

test('hooks with their old names keep a turn and restore it, and one switch turns them off', async () => {
  const transcript = join(home, 'transcript.jsonl')
  const lines = [
    { type: 'user', message: { content: 'Why does the port stay busy?' } },
    { type: 'assistant', message: { content: [{ type: 'text', text: 'A zombie process held it.' }] } },
  ]
  writeFileSync(transcript, lines.map((line) => JSON.stringify(line)).join('\n'))
  const input = JSON.stringify({ session_id: 's1', cwd: home, transcript_path: transcript })
  // However slow the machine is, the end of an exchange is kept.
  expect((await kvault(['hook', 'stop'], input, { KVAULT_HOOK_WAIT_MS: '1' })).stderr).toBe('')
  // It is sent in the background.
  const restored = async () => {
    const { stdout } = await kvault(['hook', 'session-start'], input, { KVAULT_HOOK_WAIT_MS: '20000' })
    return stdout && JSON.parse(stdout).hookSpecificOutput.additionalContext
  }
  await vi.waitUntil(async () => (await restored()).includes('A zombie process held it.'), {
    timeout: 40_000,
    interval: 100,
  })
  expect((await kvault(['hook', 'session-start'], input, { KVAULT_HOOKS: 'off' })).stdout).toBe('')
  const away = await kvault(['hook', 'session-start'], input, {
    KVAULT_URL: 'http://127.0.0.1:9',
    KVAULT_API_KEY: 'kv_x',
    KVAULT_HOOK_WAIT_MS: '1',
  })
  expect(away.code).toBe(0)
  // Doctor shows it, however little time there was.
  const run = join(home, '.config', 'kvault', 'hook-runs', 'claude-code.start.json')
  expect(JSON.parse(readFileSync(run, 'utf8')).error).toMatch(/no answer in time|ECONNREFUSED/)
})

test('usage errors exit with 2, help with 0, completion names the commands', async () => {
  expect((await kvault(['nonsense'])).code).toBe(2)
  expect((await kvault(['connect', 'nonsense'])).code).toBe(2)
  expect((await kvault(['--help'])).stdout).toContain('doctor')
  expect((await kvault(['completion', 'bash'])).stdout).toContain('connect')
  expect((await kvault(['completion', 'tcsh'])).code).toBe(2)
})

test('logout deletes the key at the vault too', async () => {
  const { apiKey } = JSON.parse(readFileSync(join(home, '.config', 'kvault', 'profile.json'), 'utf8'))
  expect((await kvault(['logout'])).code).toBe(0)
  const answer = await fetch(`${vault.url}/api/v1/auth/me`, { headers: { 'x-api-key': apiKey } })
  expect(answer.status).toBe(401)
})
