import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { probe } from '../../src/doors/cli/connect/connect.ts'
import { homeOf } from '../../src/doors/cli/project-name.ts'
import { apiKeyOf, type LiveVault, liveVault, type Person, registerPerson } from '../support/live.ts'
import { type CommandResult, runKvault, type Terminal } from '../support/process.ts'
import { describeWhere, NOT_LINUX } from '../support/skips.ts'

const EMAIL = 'failing@example.com'
const BY_PASSWORD = ['login', '--email', EMAIL, '--password-stdin']
const PASSWORD = 'correct horse battery\n'

let vault: LiveVault
let person: Person
let home: string

beforeAll(async () => {
  vault = await liveVault({ RATE_LIMIT: 'off' })
  person = await registerPerson(vault, EMAIL)
})
afterAll(() => vault.close())
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'knowledge-vault-home-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

type Given = Terminal & { env?: Record<string, string> }

const kvault = (args: string[], { env = {}, ...terminal }: Given = {}): Promise<CommandResult> =>
  runKvault(args, { HOME: home, LANG: 'C.UTF-8', KVAULT_URL: vault.url, ...env }, { cwd: home, ...terminal })

function put(path: string, content: string): string {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  return file
}

type Key = { name: string; key_id: string }
const keysNamed = async (title: string): Promise<string[]> =>
  ((await person.get('/api/v1/auth/api-keys')).body as Key[])
    .filter(({ name }) => name === `${title} on ${hostname()}`)
    .map(({ key_id }) => key_id)

/** Root may write everywhere, so permissions prove nothing here. Below a file there can be no folder. */
const noSettings = () => ({ KVAULT_HOME: join(put('file', ''), 'kvault') })
/** A folder of the kernel: here a file that is not there looks as it does anywhere, but cannot be made. */
const NOWHERE = '/proc/self'

const isOneLine = /^[^\n]+\n$/

describeWhere('files of the kernel', NOT_LINUX, () => {
  test('a client whose file cannot be written leaves no key behind', async () => {
    const key = await apiKeyOf(person)
    const result = await kvault(['connect', 'codex', '--yes', '--key', key], { env: { CODEX_HOME: NOWHERE } })
    expect(result.code).toBe(4)
    expect(result.stderr).toMatch(/^\/proc\/self\/config\.toml cannot be written \(\w+\)\.\n$/)
    expect(await keysNamed('Codex')).toEqual([])
  })

  test('a full disk behind standard output is one line', async () => {
    const stdout = openSync('/dev/full', 'w')
    const result = await kvault(['--help'], { stdout })
    expect(result).toMatchObject({ code: 1, stderr: 'The output cannot be written (ENOSPC).\n' })
  })
})

test('an entry that cannot be remembered is taken back, with its key', async () => {
  const file = put('.codex/config.toml', 'model = "x"\n')
  const env = noSettings()
  const result = await kvault(['connect', 'codex', '--yes', '--key', await apiKeyOf(person)], { env })
  expect(result.code).toBe(1)
  expect(result.stderr).toMatch(isOneLine)
  expect(result.stderr).toContain('ENOTDIR')
  expect(readFileSync(file, 'utf8')).toBe('model = "x"\n')
  expect(await keysNamed('Codex')).toEqual([])
})

test('a sign-in that cannot be saved leaves no key behind', async () => {
  const env = noSettings()
  const before = await keysNamed('kvault')
  const result = await kvault(BY_PASSWORD, { input: PASSWORD, env })
  expect(result.code).toBe(1)
  expect(result.stderr).toMatch(isOneLine)
  expect(result.stderr).toContain('cannot be used: a part of the path is a file (ENOTDIR).')
  expect(await keysNamed('kvault')).toEqual(before)
  const given = await kvault(['login', '--key', await apiKeyOf(person)], { env })
  expect(given.stderr).toMatch(isOneLine)
})

test('a password on standard input is read as any other text there: some shells put a byte order mark before it', async () => {
  expect(await kvault(BY_PASSWORD, { input: `\uFEFF${PASSWORD}` })).toMatchObject({ code: 0, stderr: '' })
  expect((await kvault(['logout'])).code).toBe(0)
})

test('signing in again ends the key of the last time, unless a client shares it', async () => {
  for (const _ of [1, 2]) expect((await kvault(BY_PASSWORD, { input: PASSWORD })).code).toBe(0)
  const [second, ...others] = await keysNamed('kvault')
  expect(others).toEqual([])
  // Without a terminal and without a key, the client shares the key of the command.
  expect(await kvault(['connect', 'codex', '--yes', '--no-hooks'])).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining('Codex uses the key of kvault login; it has none of its own.'),
  })
  const third = await kvault(BY_PASSWORD, { input: PASSWORD })
  expect(third.stdout).toContain('The former key stays valid, because these use it: codex.')
  expect(await keysNamed('kvault')).toContain(second)
})

test('signing in after the key has ended names the clients that still have it', async () => {
  await kvault(BY_PASSWORD, { input: PASSWORD })
  await kvault(['connect', 'codex', '--yes', '--no-hooks'])
  for (const id of await keysNamed('kvault')) await person.delete(`/api/v1/auth/api-keys/${id}`)
  const again = await kvault(BY_PASSWORD, { input: PASSWORD })
  expect(again.stdout).toContain('The former key has ended, but these still have it.')
  expect(again.stdout).toContain(`kvault connect codex --url ${vault.url}`)
  expect(again.stdout).not.toContain('stays valid')
  expect((await kvault(['connect', 'codex', '--yes', '--no-hooks'])).code).toBe(0)
})

test('the file of one client does not stop the others, and the end says which failed', async () => {
  const broken = {
    '.gemini/settings.json': '[]',
    '.cursor/mcp.json': '{"mcpServers": null}',
    '.codex/config.toml': '= no',
  }
  for (const [file, content] of Object.entries(broken)) put(file, content)
  const names = ['gemini', 'cursor', 'codex', 'amp']
  const result = await kvault(['connect', ...names, '--yes', '--key', await apiKeyOf(person)])
  expect(result.code).toBe(4)
  expect(result.stdout).toContain('Amp is connected')
  expect(result.stderr).toMatch(/settings\.json contains no object, but: array, so it is left alone/)
  expect(result.stderr).toContain('mcp.json: "mcpServers" is not an object, so it is left alone')
  expect(result.stderr).toContain('config.toml cannot be read as TOML')
  expect(result.stderr).toMatch(/\nFailed: Gemini CLI, Cursor, Codex\.\n$/)
  for (const [file, content] of Object.entries(broken))
    expect(readFileSync(join(home, file), 'utf8')).toBe(content)
})

test('a file that is not UTF-8 is left alone, byte by byte', async () => {
  const text = '{"name": "J\u00fcrgen"}'
  const files = [
    '.gemini/settings.json',
    '.claude/settings.json',
    '.codeium/windsurf/memories/global_rules.md',
  ]
  for (const name of files) writeFileSync(put(name, ''), text, 'latin1')
  const names = ['gemini', 'claude-code', 'windsurf']
  const result = await kvault(['connect', ...names, '--yes', '--key', await apiKeyOf(person)])
  expect(result.code).toBe(4)
  for (const name of files) {
    expect(result.stderr).toContain(`${join(home, name)} is not UTF-8, so it is left alone.\n`)
    expect(readFileSync(join(home, name), 'latin1'), name).toBe(text)
  }
})

test('a dry run shows paths as they are written', async () => {
  const env = { CODEX_HOME: join(home, 'Schlüssel') }
  const { stdout } = await kvault(['connect', 'codex', '--dry-run'], { env })
  expect(stdout).toContain(`--- ${home}/Schlüssel/config.toml\n+++ ${home}/Schlüssel/config.toml\n@@`)
  expect(existsSync(join(home, 'Schlüssel'))).toBe(false)
})

test('a card in a file may begin with a byte order mark, and has to be an object', async () => {
  const env = { KVAULT_API_KEY: await apiKeyOf(person) }
  const card = { title: 'Marked', symptom: 'It begins oddly', fix_summary: 'Skip the mark' }
  const file = put('card.json', `\uFEFF${JSON.stringify(card)}`)
  expect((await kvault(['record', '--file', file], { env })).code).toBe(0)
  for (const text of ['[]', 'null', '"x"']) {
    const { code, stderr } = await kvault(['record', '--file', '-'], { env, input: text })
    expect([code, stderr], text).toEqual([
      2,
      'Standard input has to be a JSON object, such as {"title": "…"}.\n',
    ])
  }
})

test('disconnect shows no change of a hooks file when a broken entry stops it', async () => {
  put('.cursor/mcp.json', '{}')
  const connected = await kvault(['connect', 'cursor', '--yes', '--key', await apiKeyOf(person)])
  expect(connected.stderr).toBe('')
  const hooks = join(home, '.cursor/hooks.json')
  const before = readFileSync(hooks, 'utf8')
  put('.cursor/mcp.json', '{"mcpServers": ')
  const { code, stdout, stderr } = await kvault(['disconnect', 'cursor', '--yes'])
  expect(code).not.toBe(0)
  expect(stderr).toContain('mcp.json')
  expect(stdout).not.toContain('hooks.json')
  expect(readFileSync(hooks, 'utf8')).toBe(before)
})

test('a file that is not there, or is a folder, is said in one line', async () => {
  const env = { KVAULT_API_KEY: await apiKeyOf(person) }
  const commands = [['record'], ['drafts', 'edit', crypto.randomUUID()]]
  for (const command of commands) {
    const missing = await kvault([...command, '--file', '/nonexistent'], { env })
    expect(missing).toMatchObject({
      code: 2,
      stderr: '/nonexistent cannot be read: it does not exist (ENOENT).\n',
    })
    const folder = await kvault([...command, '--file', home], { env })
    expect(folder).toMatchObject({ code: 2, stderr: `${home} cannot be read: it is a folder (EISDIR).\n` })
    const unnamed = await kvault([...command, '--file', ''], { env })
    expect(unnamed).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be read') })
    const input = await kvault([...command, '--file', '-'], { env, input: '{' })
    expect(input).toMatchObject({ code: 2, stderr: expect.stringMatching(/^Standard input is not JSON\./) })
  }
})

test('settings that cannot be written are said in one line', async () => {
  const env = { KVAULT_API_KEY: await apiKeyOf(person), ...noSettings() }
  for (const command of [['hooks', 'off', 'all'], ['mine']]) {
    const result = await kvault(command, { env })
    expect(result.code, command.join(' ')).toBe(1)
    expect(result.stderr).toMatch(isOneLine)
    expect(result.stderr).toContain('ENOTDIR')
  }
})

test('switches of a person that cannot be read leave all hooks off until they are repaired', async () => {
  const file = put('.config/kvault/hooks.json', '{ "off": ["prompt"')
  for (const content of ['{ "off": ["prompt"', '{"off": "prompt"}']) {
    writeFileSync(file, content)
    const shown = await kvault(['hooks'])
    expect(shown.stderr).toContain(`${file} cannot be read`)
    expect(shown.stdout).not.toMatch(/\bon\b/)
    const changed = await kvault(['hooks', 'on', 'codex'])
    expect(changed).toMatchObject({ code: 1, stdout: '' })
    expect(changed.stderr).toContain('Repair or delete it first')
    expect(readFileSync(file, 'utf8')).toBe(content)
  }
  expect((await kvault(['doctor'])).stdout).toMatch(/fail +Your switches +.*cannot be read/)
  rmSync(file)
  expect((await kvault(['hooks'])).stdout).toContain('Without hooks: claude-code, codex')
})

test('a project file that cannot be read is named by record, hooks and doctor', async () => {
  const env = { KVAULT_API_KEY: await apiKeyOf(person) }
  const card = ['record', '--title', 'A title', '--symptom', 'It fails', '--fix', 'Mend it']
  const file = put('.kvault.json', '{ "hooks": ')
  const recorded = await kvault(card, { env })
  expect(recorded.code).toBe(2)
  expect(recorded.stderr).toContain('.kvault.json cannot be read as a JSON object')
  const hooks = await kvault(['hooks'], { env })
  expect(hooks.stderr).toContain(
    '.kvault.json cannot be read as a JSON object of at most 64 KB, so all hooks are off here',
  )
  expect(hooks.stdout).not.toMatch(/\bon\b/)
  expect((await kvault(['doctor'], { env })).stdout).toMatch(
    /fail +Project file +.*cannot be read as a JSON object/,
  )
  const call = { name: 'record_card', arguments: { title: 'A title', symptom: 'It', fix_summary: 'Mend it' } }
  const line = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })
  const bridged = JSON.parse((await kvault(['mcp'], { env, input: `${line}\n` })).stdout)
  expect(bridged.error.message).toContain('so it is unknown where the card belongs')
  // A file above it cannot stand in for the nearest one.
  put('above/.kvault.json', JSON.stringify({ workspace_id: crypto.randomUUID() }))
  put('above/here/.kvault.json', '[]')
  expect(() => homeOf(join(home, 'above', 'here'))).toThrow('cannot be read as a JSON object')
  writeFileSync(file, '{"workspace_id": "the team"}')
  const named = await kvault(card, { env })
  expect(named.code).toBe(2)
  expect(named.stderr).toMatch(/\.kvault\.json: workspace_id is the id of a workspace, not "the team"\.\n$/)
  // A workspace that is named in the command needs no file.
  const elsewhere = await kvault([...card, '--workspace', crypto.randomUUID()], { env })
  expect(elsewhere.stderr).not.toContain('.kvault.json')
})

test('doctor says with which address to connect', async () => {
  put('.cursor/mcp.json', '{"mcpServers":{"knowledge-vault":{"url":"http://127.0.0.1:1/mcp"}}}')
  const { stdout } = await kvault(['doctor', '--key', await apiKeyOf(person)])
  const advice = `→ kvault connect cursor --url ${vault.url}\n`
  expect(stdout.split(advice)).toHaveLength(2)
})

test('options that cannot be right are refused before anything is done', async () => {
  const key = await apiKeyOf(person)
  const wrong = [
    ['search', 'x', '--limit', '99'],
    ['search', 'x', '--scope', 'foo'],
    ['connect', 'codex', '--dry-run', '--workspace', 'nonsense'],
    ['search', 'x', '--url', 'vault.example'],
  ]
  for (const command of wrong) {
    const result = await kvault([...command, '--key', key])
    expect(result, command.join(' ')).toMatchObject({ code: 2, stdout: '' })
    expect(result.stderr).toMatch(isOneLine)
  }
  const bridge = await kvault(['mcp'], { env: { KVAULT_URL: 'vault.example' } })
  expect(bridge).toMatchObject({ code: 2, stdout: '' })
  expect(bridge.stderr).toContain('"vault.example" is not the address of a vault')
})

test('an address that is not a vault is said to the agent, which would wait for ever', async () => {
  const portal = createServer((_, answer) => answer.end('<h1>Sign in to the network</h1>'))
  await new Promise<void>((done) => void portal.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(portal.address() as AddressInfo).port}`
  const input = '{"jsonrpc":"2.0","id":7,"method":"tools/list"}\n'
  const { stdout } = await kvault(['mcp', '--url', url, '--key', 'kv_any'], { input })
  portal.close()
  expect(JSON.parse(stdout)).toMatchObject({ id: 7, error: { message: expect.stringContaining(url) } })
})

async function answering(status: number, body: string, work: (url: string) => Promise<void>): Promise<void> {
  const server = createServer((_, answer) => answer.writeHead(status).end(body))
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`).finally(() => server.close())
}

test('a notification that the vault refuses is answered with nothing; a request gets its id', () =>
  answering(400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"No"}}', async (url) => {
    const bridged = (line: object) =>
      kvault(['mcp', '--url', url, '--key', 'kv_any'], {
        input: `${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`,
      })
    expect((await bridged({ method: 'notifications/initialized' })).stdout).toBe('')
    expect(JSON.parse((await bridged({ id: 7, method: 'ping' })).stdout)).toMatchObject({ id: 7 })
  }))

test('a service that answers everything with JSON is no vault: no sign-in there, and no command of it', () =>
  answering(200, '{"hello": 1}', async (url) => {
    const said = `${url} does not answer as a vault does.`
    expect(await kvault(['login', '--key', 'kv_any', '--url', url])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(said),
    })
    const { code, stdout } = await kvault(['doctor', '--key', 'kv_any', '--url', url])
    expect([code, stdout.includes('npx')]).toEqual([1, false])
    expect(stdout).toContain(said)
  }))

test('doctor does not blame the key for a vault that is busy', () =>
  answering(503, '{"detail": "Try again later."}', async (url) => {
    const { code, stdout } = await kvault(['doctor', '--key', 'kv_any', '--url', url])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^fail {2}Tools +Try again later\./m)
    expect(stdout).not.toContain('login')
  }))

test('a program of an entry may print other lines before its answers', async () => {
  const reply = { jsonrpc: '2.0', id: 2, result: { tools: [] } }
  const script = `console.log('npm notice'); console.log('null'); console.log('${JSON.stringify(reply)}')`
  const way = { kind: 'stdio' as const, command: process.execPath, args: ['-e', script], env: {} }
  expect((await probe(way)).state).not.toBe('unreachable')
})

test('the tools of an entry may have U+2028 in their descriptions, which ends no line', async () => {
  const tools = [{ name: 'search', description: 'One\u2028two' }]
  const reply = JSON.stringify({ jsonrpc: '2.0', id: 2, result: { tools } })
  // It stays until the probe ends it.
  const script = `console.log(process.argv[1]); process.stdin.resume()`
  const way = { kind: 'stdio' as const, command: process.execPath, args: ['-e', script, reply], env: {} }
  expect(await probe(way)).toEqual({ state: 'works', tools: ['search'] })
})

test('mcp goes on with the key that a sign-in has saved meanwhile; a given key stays', async () => {
  const json = { 'content-type': 'application/json' }
  const asked: unknown[] = []
  const server = createServer((request, answer) => {
    asked.push(request.headers['x-api-key'])
    if (asked.at(-1) === 'kv_new')
      return answer.writeHead(200, json).end('{"jsonrpc":"2.0","id":7,"result":{}}')
    signIn('kv_new')
    answer.writeHead(401, json).end('{"detail":"This API key is not known here.","code":"invalid_token"}')
  })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const signIn = (apiKey: string) => put('.config/kvault/profile.json', JSON.stringify({ url, apiKey }))
  const ping = async (env = {}) => {
    asked.length = 0
    const input = '{"jsonrpc":"2.0","id":7,"method":"ping"}\n'
    return JSON.parse((await kvault(['mcp'], { env: { KVAULT_URL: url, ...env }, input })).stdout)
  }
  signIn('kv_old')
  expect(await ping()).toEqual({ jsonrpc: '2.0', id: 7, result: {} })
  expect(asked).toEqual(['kv_old', 'kv_new'])
  expect((await ping({ KVAULT_API_KEY: 'kv_given' })).error.message).toContain('is not known here')
  expect(asked).toEqual(['kv_given'])
  server.close()
})

test('settings of unusual form are said in words or mended, and stop nothing', async () => {
  const connectIt = async () => kvault(['connect', 'claude-code', '--yes', '--key', await apiKeyOf(person)])
  const file = put('.claude/settings.json', '')
  const env = { KVAULT_URL: vault.url }
  for (const entry of [
    { command: 'kvault', args: 'mcp', env },
    { command: '', args: [5], env },
    { command: 'a\0', env },
  ]) {
    put('.claude.json', JSON.stringify({ mcpServers: { 'knowledge-vault': entry } }))
    expect((await kvault(['doctor'])).stdout, entry.command).toMatch(/^fail\s+Claude Code\s/m)
    expect(await connectIt(), entry.command).toMatchObject({ code: 0, stderr: '' })
  }
  put('.claude/settings.json', '{"enabledPlugins": null}')
  expect(await connectIt()).toMatchObject({ code: 0, stderr: '' })
  for (const hooks of ['[]', '5', 'null', '{"Stop": {}}']) {
    put('.claude/settings.json', `{"hooks": ${hooks}}`)
    const said = `${file}: "hooks" has an unknown form, so it is left alone.\n`
    expect(await connectIt(), hooks).toMatchObject({ code: 4, stderr: said })
  }
})

test('logout takes the key from this machine also if the vault is away, and says that it is still valid there', async () => {
  const signOut = async (url: string, why: string) => {
    const file = put(
      '.config/kvault/profile.json',
      JSON.stringify({ url, apiKey: 'kv_test', keyId: 'key-1' }),
    )
    const { code, stdout, stderr } = await kvault(['logout'])
    expect([code, stdout], url).toEqual([4, `Signed out of ${url}.\n`])
    expect(stderr).toContain(`the vault did not delete it: ${why} It stays valid there.`)
    expect(stderr).toContain(`Delete "kvault on ${hostname()}" at ${url}/settings?tab=keys`)
    expect(existsSync(file), url).toBe(false)
  }
  await signOut('http://127.0.0.1:1', 'http://127.0.0.1:1 cannot be reached: nothing listens there.')
  await answering(503, '{"detail": "Try again later."}', (url) => signOut(url, 'Try again later.'))
})

test('context and doctor say how the memory of a folder without a remote survives a rename', async () => {
  const shop = dirname(put('shop/README.md', ''))
  const given = { env: { KVAULT_API_KEY: await apiKeyOf(person) }, cwd: shop }
  const { stdout } = await kvault(['context'], given)
  const [name] = /^folder-\S+/.exec(stdout) ?? []
  const advice = `write {"project_key": "${name}"} into ${join(realpathSync(shop), '.kvault.json')}`
  expect(stdout).toContain(`If it was moved or renamed, look at ${vault.url}/memory for its former name.`)
  expect(stdout).toContain(advice)
  expect((await kvault(['doctor'], given)).stdout).toContain(advice)
  put('shop/.kvault.json', `{"project_key": "${name}"}`)
  const named = await kvault(['context'], given)
  expect(named.stdout).toMatch(new RegExp(`^${name} .*\\nNothing remembered yet\\.\\n$`))
  expect((await kvault(['doctor'], given)).stdout).not.toContain(name)
  // There the file would count for every folder below.
  const atHome = await kvault(['context'], { ...given, cwd: home })
  expect(atHome.stdout).toMatch(/^folder-.*\nNothing remembered yet\.\n$/)
})

test('options that a command has no use for are refused', async () => {
  for (const command of ['disconnect', 'logout'])
    for (const option of ['--url', '--key'])
      expect((await kvault([command, option, 'http://x.example'])).stderr).toContain('unknown option')
})

const NO_KEY = 'The given API key has characters that no key has. Copy the whole key again.\n'

test('a key that was deleted is said with what to do', async () => {
  const env = { KVAULT_API_KEY: 'kv_deleted' }
  for (const args of [['search', 'anything'], ['workspaces']])
    expect(await kvault(args, { env })).toMatchObject({
      code: 3,
      stderr:
        'This API key is not known here. It may have been deleted. Give another key, or run: kvault login\n',
    })
})

test('a key that ends with a line end works, and nothing found gives only advice that helps', async () => {
  const env = { KVAULT_API_KEY: `${await apiKeyOf(person)}\r\n` }
  // As the guide abbreviates it: no header can carry it, and the vault can be reached all the same.
  for (const args of [
    ['search', 'x', '--key', 'kv_…'],
    ['login', '--key', 'kv_…'],
  ])
    expect(await kvault(args)).toMatchObject({ code: 3, stderr: NO_KEY })
  const everywhere = await kvault(['search', 'unheard-of'], { env })
  expect(everywhere).toMatchObject({ code: 0, stderr: '' })
  expect(everywhere.stdout).toBe('Nothing found. Try fewer or other words.\n')
  const personal = await kvault(['search', 'unheard-of', '--scope', 'personal'], { env })
  expect(personal.stdout).toBe('Nothing found. Try fewer or other words, or leave out --scope.\n')
})

test('git is not started from the folder of a project, where a program of that name may lie', async () => {
  const noted = join(home, 'started-from')
  const git = put('bin/git', `#!/bin/sh\npwd >> "${noted}"\nexit 1\n`)
  chmodSync(git, 0o700)
  const env = { PATH: `${dirname(git)}:${process.env.PATH}`, KVAULT_API_KEY: await apiKeyOf(person) }
  for (const command of ['check', 'context']) await kvault([command], { env })
  const folders = readFileSync(noted, 'utf8').trim().split('\n')
  expect(folders.length).toBeGreaterThan(1)
  expect(new Set(folders)).toEqual(new Set([dirname(process.execPath)]))
})
