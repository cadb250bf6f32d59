import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { capabilities } from '../../src/capabilities.ts'
import { toolsOf } from '../../src/core/invoke.ts'
import { CORE_SCOPES, CORE_TOOL_NAMES } from '../../src/shared/core-tools.ts'
import { apiKeyOf, type LiveVault, liveVault, type Person, registerPerson } from '../support/live.ts'
import { type CommandResult, repository, runKvault } from '../support/process.ts'

const TOOLS = toolsOf(capabilities).length
const CORE = CORE_TOOL_NAMES.length

let vault: LiveVault
let person: Person
let home: string

beforeAll(async () => {
  vault = await liveVault({ RATE_LIMIT: 'off' })
  person = await registerPerson(vault)
})
afterAll(() => vault.close())
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'knowledge-vault-home-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const BROWSER = join(repository, 'test', 'cli', 'browser.js')

/** The person's terminal: their home, nothing of this machine's settings, and a browser that plays them. */
const kvault = (args: string[], env: Record<string, string> = {}): Promise<CommandResult> =>
  runKvault(
    args,
    {
      PATH: dirname(process.execPath),
      HOME: home,
      LANG: 'C.UTF-8',
      BROWSER,
      PERSON: person.token,
      KVAULT_URL: vault.url,
      ...env,
    },
    { cwd: home },
  )

const at = (...parts: string[]) => join(home, ...parts)
const text = (...parts: string[]) => readFileSync(at(...parts), 'utf8')

function put(path: string, content = '', mode = 0o644): string {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), content, { mode })
  return at(path)
}

type Key = { name: string; scopes: string[]; key_id: string }
const keys = async (): Promise<Key[]> => (await person.get('/api/v1/auth/api-keys')).body
const keysNamed = async (title: string) =>
  (await keys()).filter(({ name }) => name === `${title} on ${hostname()}`)
const KEY = /kv_[\w-]{40}/

test('without a name the installed clients are found, signed in by the browser, and each gets a narrow key', async () => {
  put('.codex/config.toml', 'model = "x"\n')
  put('.cursor/mcp.json', '{}')
  put('.config/Claude/claude_desktop_config.json', '{"mcpServers":{"other":{"command":"x"}}}')
  mkdirSync(at('.claude'))
  const result = await kvault(['connect', '--yes'])
  expect(result).toMatchObject({ code: 0, stderr: '' })
  expect(result.stdout).toContain('Found here: Claude Code, Claude Desktop, Codex, Cursor')
  for (const title of ['Claude Code', 'Claude Desktop', 'Codex']) {
    expect(result.stdout).toContain(`${title} is connected to ${vault.url}: ${CORE} tools answer`)
    const [key, ...others] = await keysNamed(title)
    expect(others).toEqual([])
    expect(key?.scopes).toEqual([...CORE_SCOPES])
  }
  expect(result.stdout).not.toMatch(KEY)
  // It signs in by itself, so it has no key that could travel with its settings.
  expect(text('.cursor/mcp.json')).not.toMatch(KEY)
  expect(result.stdout).toContain('Cursor is connected')
  // The right to make keys is gone with the command.
  expect((await person.get('/api/v1/auth/connected-apps')).body).toEqual([])
  const { command, args } = JSON.parse(text('.config/Claude/claude_desktop_config.json')).mcpServers[
    'knowledge-vault'
  ]
  expect([command, args[0]]).toEqual([process.execPath, join(repository, 'bin', 'kvault.js')])

  const again = await kvault(['connect', 'codex', '--yes'])
  expect(again.stdout).toContain('Codex is already connected to')

  const undone = await kvault(['disconnect', '--yes'])
  expect(undone).toMatchObject({ code: 0, stderr: '' })
  expect(undone.stdout).toContain(`kvault's own files stay in ${at('.config/kvault')}`)
  for (const title of ['Claude Code', 'Claude Desktop', 'Codex']) expect(await keysNamed(title)).toEqual([])
  expect(text('.codex/config.toml')).toBe('model = "x"\n')
  expect(text('.cursor/mcp.json')).toBe('{}')
  expect(text('.config/Claude/claude_desktop_config.json')).toBe('{"mcpServers":{"other":{"command":"x"}}}')
  expect(existsSync(at('.claude.json'))).toBe(false)
})

test('one summary has a line for each choice; nothing is shared without a word, and a named team is', async () => {
  const { workspace_id } = (await person.post('/api/v1/workspaces', { name: 'Connected team' })).body
  mkdirSync(at('.codex'))
  const whole = await apiKeyOf(person)
  const dry = await kvault(['connect', '--dry-run'])
  for (const line of ['Vault', 'Files', 'Entries', 'Hooks', 'Learning', 'Sharing'])
    expect(dry.stdout).toMatch(new RegExp(`^${line} `, 'm'))
  expect(dry.stdout).toContain('+++ ')
  const quiet = await kvault(['connect', 'codex', '--yes'])
  expect(quiet.stdout).toMatch(/Sharing +nothing: what is recorded stays private/)
  expect(quiet.stdout).toMatch(/Learning +nothing: no history of a repository is read/)
  expect(existsSync(at('.config/kvault/learn.json'))).toBe(false)
  expect(quiet.stdout).not.toContain('+++ ')
  expect(text('.codex/config.toml')).toContain('/mcp?profile=core')
  const shares = async (title = 'Codex') =>
    (await person.get('/api/v1/auth/api-keys')).body
      .filter(({ name }: Key) => name === `${title} on ${hostname()}`)
      .map(({ share_recorded, default_workspace_id }: Record<string, unknown>) => [
        share_recorded,
        default_workspace_id,
      ])
  expect(await shares()).toEqual([[false, null]])
  // Only the hooks are written again: no key is made, so nothing changes for what the old ones record.
  rmSync(at('.codex/hooks.json'))
  expect((await kvault(['connect', 'codex', '--yes'])).stdout).toMatch(/Sharing +as before/)
  expect(await shares()).toEqual([[false, null]])
  // Later it signs in again, since the saved key cannot be given a team, and replaces that one too.
  const own = (await shares('kvault')).length
  const later = await kvault(['connect', 'codex', '--yes', '--share', workspace_id])
  expect(later).toMatchObject({ code: 0, stderr: '' })
  expect(await shares()).toEqual([[true, workspace_id]])
  expect(await shares('kvault')).toContainEqual([true, workspace_id])
  expect(await shares('kvault')).toHaveLength(own)
  const named = await kvault([
    'connect',
    'codex',
    '--yes',
    '--share',
    workspace_id,
    '--all-tools',
    '--key',
    whole,
  ])
  expect(named.stdout).toMatch(/Sharing +what you and your agents record is shared with Connected team/)
  expect(await shares()).toEqual([[true, workspace_id]])
  expect(text('.codex/config.toml')).not.toContain('profile=core')
  const wrong = await kvault(['connect', 'codex', '--yes', '--share', crypto.randomUUID(), '--key', whole])
  expect(wrong.stderr).toContain('is no private team')
  expect((await kvault(['connect', 'codex', '--yes', '--share', 'the team'])).code).toBe(2)
  await kvault(['disconnect', 'codex', '--yes'])
})

test('learning is a line of the summary: asked for it begins, later it stays as it is, and refused it ends', async () => {
  mkdirSync(at('.codex'))
  const connected = async (...options: string[]) => {
    const { code, stdout, stderr } = await kvault(['connect', 'codex', '--yes', ...options])
    expect(code, stderr).toBe(0)
    const kept = existsSync(at('.config/kvault/learn.json')) ? text('.config/kvault/learn.json') : '{}'
    await kvault(['disconnect', 'codex', '--yes'])
    return { line: /^Learning .*$/m.exec(stdout)?.[0], background: JSON.parse(kept).background }
  }
  const reads = expect.stringContaining('the history of each repository that a session starts in')
  const nothing = expect.stringContaining('nothing: no history of a repository is read')
  expect(await connected()).toEqual({ line: nothing, background: undefined })
  expect(await connected('--learn')).toEqual({ line: reads, background: true })
  expect(await connected()).toEqual({ line: reads, background: true })
  expect(await connected('--no-learn')).toEqual({ line: nothing, background: false })
  expect(await connected()).toEqual({ line: nothing, background: false })
})

test('over SSH a code that is typed elsewhere signs in', async () => {
  mkdirSync(at('.codex'))
  const connecting = kvault(['connect', 'codex', '--yes', '--no-hooks'], {
    SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22',
  })
  const { database } = vault.app.services
  const waits = () =>
    database.transaction((db) => db.selectFrom('oauth_device_codes').select('device_hash').executeTakeFirst())
  await expect.poll(waits, { timeout: 20_000 }).toBeDefined()
  // What the person does is tested beside the routes; here they decline.
  await database.transaction((db) =>
    db.updateTable('oauth_device_codes').set({ denied_at: new Date().toISOString() }).execute(),
  )
  const result = await connecting
  expect(result.stdout).toMatch(new RegExp(`${vault.url}/device\\n {2}[A-Z]{4}-[A-Z]{4}`))
  expect(result).toMatchObject({ code: 3, stderr: expect.stringContaining('declined') })
})

test('a sign-in that is declined writes nothing', async () => {
  const file = put('.codex/config.toml', 'model = "x"\n')
  const result = await kvault(['connect', 'codex', '--yes'], { DECISION: 'deny' })
  expect(result.code).toBe(3)
  expect(result.stderr).toContain('declined')
  expect(readFileSync(file, 'utf8')).toBe('model = "x"\n')
})

test('a key that may touch the account makes narrow ones; another is used as it is, and outlives disconnect', async () => {
  const whole = await apiKeyOf(person)
  await kvault(['connect', 'gemini', '--yes', '--key', whole])
  expect(text('.gemini/settings.json')).not.toContain(whole)
  expect(await keysNamed('Gemini CLI')).toHaveLength(1)
  const narrow = await apiKeyOf(person, ['search'])
  const result = await kvault(['connect', 'cursor', '--yes'], { KVAULT_API_KEY: narrow })
  expect(result.stdout).toContain('uses the key that you gave')
  expect(text('.cursor/mcp.json')).toContain(narrow)
  await kvault(['disconnect', 'gemini', 'cursor', '--yes'])
  expect(await keysNamed('Gemini CLI')).toEqual([])
  expect((await fetch(`${vault.url}/api/v1/auth/me`, { headers: { 'x-api-key': narrow } })).status).toBe(200)
})

test('a key that is not accepted writes nothing', async () => {
  const result = await kvault(['connect', 'gemini', '--yes', '--key', 'kv_unknown'])
  expect(result.code).toBe(3)
  expect(existsSync(at('.gemini/settings.json'))).toBe(false)
})

test('an entry that does not work is taken back, with its key', async () => {
  const ended: string[] = []
  const standIn = createServer((request, response) => {
    if (request.method === 'DELETE') ended.push(String(request.headers['x-api-key']))
    const isKeys = request.url === '/api/v1/auth/api-keys'
    response.writeHead(isKeys ? 201 : request.method === 'DELETE' ? 204 : 403, {
      'content-type': 'application/json',
    })
    response.end(JSON.stringify(isKeys ? { api_key: 'kv_made', key_id: 'one' } : { detail: 'Not here.' }))
  })
  await new Promise<void>((resolve) => standIn.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(standIn.address() as AddressInfo).port}`
  const file = put('.codex/config.toml', 'model = "x"\n')
  const result = await kvault(['connect', 'codex', '--yes', '--url', url, '--key', 'kv_given'])
  standIn.close()
  expect(result.code).toBe(1)
  expect(result.stderr).toContain('Codex is not connected')
  expect(result.stderr).toContain('Not here.')
  expect(readFileSync(file, 'utf8')).toBe('model = "x"\n')
  expect(statSync(file).mode & 0o777).toBe(0o644)
  expect(ended).toEqual(['kv_made'])
})

test("a file with a key in it becomes its owner's alone, which is said; links and modes are as before afterwards", async () => {
  const real = put('dotfiles/config.toml', 'model = "x"\n')
  chmodSync(real, 0o644)
  mkdirSync(at('.codex'))
  symlinkSync(real, at('.codex/config.toml'))
  const whole = await apiKeyOf(person)
  const result = await kvault(['connect', 'codex', '--yes', '--key', whole])
  expect(result.stdout).toContain('only you can read it (mode 600)')
  expect(lstatSync(at('.codex/config.toml')).isSymbolicLink()).toBe(true)
  expect(statSync(real).mode & 0o777).toBe(0o600)
  await kvault(['disconnect', 'codex', '--yes'])
  expect(lstatSync(at('.codex/config.toml')).isSymbolicLink()).toBe(true)
  expect(statSync(real).mode & 0o777).toBe(0o644)
  expect(readFileSync(real, 'utf8')).toBe('model = "x"\n')
})

test('variables of the clients move their files', async () => {
  const whole = await apiKeyOf(person)
  const moved = {
    CLAUDE_CONFIG_DIR: at('a'),
    CODEX_HOME: at('b'),
    GEMINI_CLI_HOME: at('c'),
    QWEN_HOME: at('d'),
  }
  const named = ['claude-code', 'codex', 'gemini', 'qwen']
  expect(await kvault(['connect', ...named, '--yes', '--key', whole], moved)).toMatchObject({ code: 0 })
  for (const file of ['a/.claude.json', 'b/config.toml', 'c/.gemini/settings.json', 'd/settings.json'])
    expect(text(file)).toMatch(KEY)
  await kvault(['disconnect', '--yes'], moved)
})

test('what connect wrote is undone in a shell in which a variable of the client is another', async () => {
  const whole = await apiKeyOf(person)
  const own = { 'b/hooks.json': '{"hooks":{}}', 'c/.gemini/settings.json': '{"theme":"x"}' }
  for (const [file, content] of Object.entries(own)) put(file, content)
  const moved = {
    CLAUDE_CONFIG_DIR: at('a'),
    CODEX_HOME: at('b'),
    GEMINI_CLI_HOME: at('c'),
    COPILOT_HOME: at('d'),
    OPENCODE_CONFIG_DIR: at('e'),
  }
  const named = ['claude-code', 'codex', 'gemini', 'copilot', 'opencode']
  expect(await kvault(['connect', ...named, '--yes', '--key', whole], moved)).toMatchObject({ code: 0 })
  // One that was written since: only ours goes.
  put('c/.gemini/settings.json', text('c/.gemini/settings.json').replace('"x"', '"y"'))
  expect(await kvault(['disconnect', '--yes'])).toMatchObject({ code: 0, stderr: '' })
  expect(text('b/hooks.json')).toBe('{"hooks":{}}')
  expect(JSON.parse(text('c/.gemini/settings.json'))).toEqual({ theme: 'y' })
  for (const file of [
    'a/.claude.json',
    'a/settings.json',
    'b/config.toml',
    'd/hooks/knowledge-vault.json',
    'd/mcp-config.json',
    'e/plugins/knowledge-vault.js',
  ])
    expect(existsSync(at(file)), file).toBe(false)
})

test('a file that nobody may write is left alone, by name, and no key stays behind', async () => {
  const file = put('.codex/config.toml', 'model = "x"\n')
  chmodSync(file, 0o444)
  const key = await apiKeyOf(person)
  const refused = await kvault(['connect', 'codex', '--yes', '--key', key])
  expect([refused.code, refused.stderr]).toEqual([
    4,
    `${file} is read-only (mode 444), so it is left alone. If you want it changed, make it writable first.\n`,
  ])
  expect([text('.codex/config.toml'), statSync(file).mode & 0o777]).toEqual(['model = "x"\n', 0o444])
  chmodSync(file, 0o644)
  expect((await kvault(['connect', 'codex', '--yes', '--no-hooks', '--key', key])).code).toBe(0)
  chmodSync(file, 0o400)
  const kept = await kvault(['disconnect', 'codex', '--yes'])
  expect([kept.code, kept.stderr]).toEqual([4, expect.stringContaining('is read-only (mode 400)')])
  chmodSync(file, 0o600)
  expect((await kvault(['disconnect', 'codex', '--yes'])).code).toBe(0)
  expect(text('.codex/config.toml')).toBe('model = "x"\n')
})

test('a file that cannot be read where connect wrote it is named, and can be undone later', async () => {
  const whole = await apiKeyOf(person)
  await kvault(['connect', 'codex', '--yes', '--key', whole], { CODEX_HOME: at('b') })
  const written = text('b/hooks.json')
  put('b/hooks.json', '{ "hooks": ')
  const refused = await kvault(['disconnect', '--yes'])
  expect(refused.code).toBe(4)
  expect(refused.stderr).toContain(`${at('b/hooks.json')} cannot be read`)
  put('b/hooks.json', written)
  expect(await kvault(['disconnect', '--yes'])).toMatchObject({ code: 0, stderr: '' })
  for (const file of ['b/hooks.json', 'b/config.toml']) expect(existsSync(at(file)), file).toBe(false)
})

test('a dry run shows the change without a key and writes nothing; without a terminal --yes is needed', async () => {
  const file = put('.gemini/settings.json', '{"theme":"x"}')
  const dry = await kvault(['connect', 'gemini', '--dry-run'])
  expect(dry.stdout).toContain('<API_KEY>')
  expect(dry.code).toBe(0)
  expect((await kvault(['connect', 'gemini'])).code).toBe(4)
  expect(readFileSync(file, 'utf8')).toBe('{"theme":"x"}')
  const nobody = await kvault(['connect', '--yes'], { HOME: put('other/.keep').slice(0, -6) })
  expect(nobody.code).toBe(4)
  expect(nobody.stdout).toContain('No agent was found')
  expect(nobody.stdout).toContain('"mcpServers"')
  // This is the log of a script, which asked for no key. Who asks for one gets it.
  const key = await apiKeyOf(person, ['search'])
  const nowhere = { HOME: at('other'), KVAULT_API_KEY: key }
  expect((await kvault(['connect', '--yes'], nowhere)).stdout).toContain('Bearer <API_KEY>')
  expect((await kvault(['connect', '--yes'], nowhere)).stdout).not.toContain(key)
  expect((await kvault(['connect', '--print'], nowhere)).stdout).toContain(key)
  expect((await kvault(['connect', '--auth', 'magic'])).code).toBe(2)
})

test('a change shows no secret of another entry beside it', async () => {
  const token = ['ghp', 'q7Rt2Wz9'.repeat(5).slice(0, 36)].join('_')
  const entry = { command: 'x', env: { GITHUB_TOKEN: token } }
  for (const indent of [0, 2]) {
    put('.claude.json', JSON.stringify({ mcpServers: { other: entry } }, null, indent))
    const key = await apiKeyOf(person)
    for (const args of [
      ['connect', 'claude-code', '--key', key, '--dry-run'],
      ['disconnect', 'claude-code', '--yes'],
    ]) {
      const { stdout } = await kvault(args)
      if (args.includes('--dry-run')) await kvault(['connect', 'claude-code', '--key', key, '--yes'])
      expect(stdout).toContain('+++ ')
      expect(stdout).not.toContain(token)
    }
    expect(text('.claude.json')).toContain(token)
  }
})

test('hooks come with the entry, stand beside those that are there, and go again byte for byte', async () => {
  const files = {
    '.claude/settings.json':
      '{\n  // mine\n  "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }] }\n}\n',
    '.codex/config.toml': 'model = "x"\n',
    '.gemini/settings.json': '{\n\t"theme": "x",\n}\n',
    '.cursor/hooks.json': '{"version":1,"hooks":{"stop":[{"command":"say done"}]}}',
    '.codeium/windsurf/memories/global_rules.md': 'Answer briefly.',
  }
  for (const [file, content] of Object.entries(files)) put(file, content)
  const names = ['claude-code', 'codex', 'gemini', 'opencode', 'cursor', 'copilot', 'windsurf']
  const whole = await apiKeyOf(person)
  const result = await kvault(['connect', ...names, '--yes', '--key', whole])
  expect(result).toMatchObject({ code: 0, stderr: '' })
  const claude = text('.claude/settings.json')
  expect(claude).toContain('// mine')
  expect(claude).toContain('say done')
  for (const event of [
    'SessionStart',
    'UserPromptSubmit',
    'PostToolUseFailure',
    'PreCompact',
    'Stop',
    'SessionEnd',
  ])
    expect(claude).toContain(`hook claude-code ${event}"`)
  const codex = JSON.parse(text('.codex/hooks.json')).hooks
  expect(codex.PostToolUse[0]).toMatchObject({ matcher: 'Bash|apply_patch', hooks: [{ type: 'command' }] })
  expect(result.stdout).toContain('open /hooks')
  expect(text('.gemini/settings.json')).toMatch(/"theme": "x",[\s\S]*hook gemini BeforeAgent/)
  expect(
    JSON.parse(text('.cursor/hooks.json')).hooks.stop.map(({ command }: { command: string }) => command),
  ).toEqual(['say done', expect.stringContaining(' hook cursor stop')])
  expect(text('.config/opencode/plugins/knowledge-vault.js')).toContain('bin/kvault.js')
  expect(JSON.parse(text('.copilot/hooks/knowledge-vault.json')).version).toBe(1)
  expect(text('.codeium/windsurf/memories/global_rules.md')).toMatch(
    /^Answer briefly\.\n\n<!--[\s\S]*`recall`/,
  )
  expect(result.stdout).not.toMatch(KEY)

  const shown = await kvault(['hooks'])
  expect(shown.stdout).toMatch(/copilot +on +no +on +no +no +on/)
  expect(shown.stdout).not.toContain('Without hooks')

  // A second time changes nothing.
  const written = Object.fromEntries(Object.keys(files).map((file) => [file, text(file)]))
  expect((await kvault(['connect', 'gemini', 'cursor', 'windsurf', '--yes'])).code).toBe(0)
  for (const [file, content] of Object.entries(written)) expect(text(file), file).toBe(content)

  const refused = await kvault(['logout'])
  expect(refused.code).toBe(4)
  expect(refused.stdout).toContain('the hooks of claude-code')
  // The person writes into a file of theirs meanwhile; only ours goes.
  writeFileSync(at('.cursor/hooks.json'), text('.cursor/hooks.json').replace('say done', 'say hello'))
  expect(await kvault(['disconnect', '--yes'])).toMatchObject({ code: 0, stderr: '' })
  for (const [file, content] of Object.entries(files))
    expect(text(file), file).toBe(
      content.replace('say done', file.includes('cursor') ? 'say hello' : 'say done'),
    )
  for (const file of [
    '.codex/hooks.json',
    '.config/opencode/plugins/knowledge-vault.js',
    '.copilot/hooks/knowledge-vault.json',
    '.codeium/windsurf/hooks.json',
    '.config/opencode/plugins',
    '.copilot',
  ])
    expect(existsSync(at(file)), file).toBe(false)
  expect((await kvault(['hooks'])).stdout).toContain('Without hooks: claude-code, codex')
  const off = await kvault(['hooks', 'off', 'codex:prompt'])
  expect(off.stdout).toMatch(/codex +off +no +not connected/)
  // Nothing depends on the key any more, so nothing has to be asked.
  expect((await kvault(['logout'])).code).toBe(0)
})

test('leaves hooks out on request, and leaves alone files that are unreadable or not ours', async () => {
  const whole = await apiKeyOf(person)
  put('.codex/config.toml', '')
  await kvault(['connect', 'codex', '--no-hooks', '--yes', '--key', whole])
  expect(existsSync(at('.codex/hooks.json'))).toBe(false)
  const broken = { '.codex/hooks.json': '{ "hooks": ', '.copilot/hooks/knowledge-vault.json': '{"mine": 1}' }
  for (const [file, content] of Object.entries(broken)) put(file, content)
  for (const name of ['codex', 'copilot']) {
    const result = await kvault(['connect', name, '--yes', '--key', whole])
    expect(result.code).toBe(4)
    expect(result.stderr).toContain('left alone')
  }
  for (const [file, content] of Object.entries(broken)) expect(text(file)).toBe(content)
})

test('an entry made by hand gets its hooks and stays as it is, also after disconnect', async () => {
  const key = await apiKeyOf(person)
  const entry = { type: 'http', url: `${vault.url}/mcp`, headers: { Authorization: `Bearer ${key}` } }
  const byHand = JSON.stringify({ mcpServers: { 'knowledge-vault': entry } })
  put('.claude.json', byHand)
  const result = await kvault(['connect', 'claude-code', '--yes', '--key', key])
  expect(result.stdout).toContain('already connected')
  expect(text('.claude/settings.json')).toContain('hook claude-code')
  await kvault(['disconnect', 'claude-code', '--yes'])
  expect(text('.claude.json')).toBe(byHand)
  expect(existsSync(at('.claude/settings.json'))).toBe(false)
})

test('an entry that is printed for sign-in has no key', async () => {
  const printed = async (...names: string[]) =>
    (await kvault(['connect', ...names, '--print', '--auth', 'oauth'])).stdout
  expect(await printed('claude-code')).not.toContain('Authorization')
  expect(await printed()).not.toContain('Authorization')
  expect((await kvault(['connect', 'claude-code', '--print'])).stdout).toContain('Authorization')
})

test('the plugin of Claude Code has the hooks already', async () => {
  put('.claude/settings.json', '{"enabledPlugins":{"vault@knowledge-vault":true}}')
  const result = await kvault(['connect', 'claude-code', '--yes', '--key', await apiKeyOf(person)])
  expect(result.stdout).toContain('already has the hooks of the plugin')
  // They have no key but that of the command.
  expect(JSON.parse(text('.config/kvault/profile.json')).url).toBe(vault.url)
  expect(text('.claude/settings.json')).not.toContain('hook claude-code')
})

test('doctor shows each moment of each agent, and a switch turns one off', async () => {
  mkdirSync(at('.gemini'))
  const without = await kvault(['doctor'])
  expect(without.stdout).toMatch(/warn +Gemini CLI +not connected; hooks none +→ kvault connect gemini/)
  await kvault(['connect', 'gemini', '--yes', '--key', await apiKeyOf(person)])
  expect((await kvault(['doctor'])).stdout).toMatch(
    /ok +Gemini CLI +.*hooks not used yet +→ Start a session of Gemini CLI/,
  )
  put('.config/kvault/hook-runs/gemini.failure.json', '{"at":"2026-01-02T03:04:05.000Z","ms":61,"chars":412}')
  put(
    '.config/kvault/hook-runs/gemini.start.json',
    '{"at":"2026-01-02T03:04:05.000Z","ms":800,"chars":0,"error":"no answer in time"}',
  )
  put(
    '.config/kvault/hook-runs/gemini.capture.json',
    '{"at":"2026-01-02T03:04:05.000Z","ms":9,"chars":70,"lost":{"at":"2026-01-02T03:00:05.000Z","error":"too large"}}',
  )
  const waiting = (url: string) => JSON.stringify({ url, agent: 'gemini', idempotencyKey: 'k', input: {} })
  const spool = (at: number) => `.config/kvault/spool/00000000000000000${at}-${crypto.randomUUID()}.json`
  put(spool(1), waiting('http://127.0.0.1:1'))
  const elsewhere = await kvault(['doctor'])
  expect(elsewhere.stdout).toMatch(/ok +Waiting +1 exchange waits for another vault or account/)
  expect(elsewhere.stdout).not.toContain('They go with the next hook.')
  const { userId } = JSON.parse(readFileSync(at('.config/kvault/profile.json'), 'utf8'))
  put(spool(2), JSON.stringify({ ...JSON.parse(waiting(vault.url)), account: userId }))
  expect((await kvault(['doctor'])).stdout).toMatch(/warn +Waiting +1 exchange is not sent yet/)
  const off = await kvault(['hooks', 'off', 'gemini:prompt'])
  expect(off.stdout).toMatch(/gemini +on +off +on +no +no +on/)
  const { stdout } = await kvault(['doctor'])
  expect(stdout.match(/Gemini CLI/g)).toHaveLength(1)
  expect(stdout).toMatch(
    /fail +Gemini CLI .*hooks installed, used: prompt, failure; start: .* 800 ms: no answer in time/,
  )
  expect(stdout).toMatch(
    /capture: 2026-01-02 03:04 UTC, 9 ms, .* before that, 2026-01-02 03:00 UTC: too large/,
  )
  const { findings } = JSON.parse((await kvault(['doctor', '--json'])).stdout)
  const momentNamed = (name: string) =>
    findings.find(({ what }: { what: string }) => what === `Gemini CLI, ${name}`)
  expect(momentNamed('failure').detail).toBe('2026-01-02 03:04 UTC, 61 ms, 412 characters')
  expect(momentNamed('prompt').detail).toBe('switched off here')
  expect((await kvault(['hooks', 'on', 'gemini:prompt'])).stdout).not.toContain('off')
  expect((await kvault(['hooks', 'off', 'everything'])).code).toBe(2)
  expect((await kvault(['hooks', 'toggle'])).code).toBe(2)
})

test('doctor tries each real entry: tools are counted, a deleted key is found, a strange vault too', async () => {
  const whole = await apiKeyOf(person)
  put('.cursor/mcp.json', '{"mcpServers":{"knowledge-vault":{"url":"http://127.0.0.1:1/mcp"}}}')
  await kvault(['connect', 'codex', 'gemini', 'claude-desktop', '--yes', '--key', whole])
  const [made] = await keysNamed('Gemini CLI')
  await person.delete(`/api/v1/auth/api-keys/${made?.key_id}`)
  const table = await kvault(['doctor', '--key', whole])
  expect(table.code).toBe(1)
  expect(table.stdout).toMatch(new RegExp(`ok +Codex +${CORE} of ${TOOLS} tools`))
  expect(table.stdout).toMatch(new RegExp(`ok +Claude Desktop +${CORE} of ${TOOLS} tools`))
  expect(table.stdout).toMatch(/fail +Gemini CLI +its key is refused/)
  expect(table.stdout).toMatch(/warn +Cursor +connected to http:\/\/127\.0\.0\.1:1\/mcp/)
  const { findings } = JSON.parse((await kvault(['doctor', '--json', '--key', whole])).stdout)
  expect(findings.map(({ what }: { what: string }) => what)).toEqual(
    expect.arrayContaining(['Server', 'Version', 'Clock', 'TLS', 'Proxy', 'Credential', 'Scopes', 'Codex']),
  )
  const narrow = await apiKeyOf(person, ['search'])
  const few = await kvault(['doctor', '--key', narrow], { HTTP_PROXY: 'http://127.0.0.1:1' })
  expect(few.stdout).toMatch(/warn +Scopes +\d+ of \d+ tools +→ For the others its key needs: .*record/)
  expect(few.stdout).toMatch(/warn +Proxy +HTTP_PROXY is set/)
})

test('a file that cannot be read does not keep the other clients connected', async () => {
  const whole = await apiKeyOf(person)
  put('.codex/config.toml', '')
  await kvault(['connect', 'codex', 'amp', '--yes', '--no-hooks', '--key', whole])
  put('.codex/config.toml', 'model = ')
  const undone = await kvault(['disconnect', 'codex', 'amp', '--yes'])
  expect(undone.code).toBe(4)
  expect(undone.stderr).toMatch(/config\.toml cannot be read as TOML.*\nFailed: Codex\.\n$/s)
  expect(undone.stdout).toContain('Amp is disconnected.')
  expect(undone.stdout).not.toContain('Nothing is connected')
  expect(await keysNamed('Amp')).toEqual([])
})

test('disconnect says when the key could not be deleted, and a second try deletes it', async () => {
  const whole = await apiKeyOf(person)
  await kvault(['connect', 'amp', '--yes', '--key', whole])
  const file = at('.config/kvault/connections/amp.json')
  const kept = readFileSync(file, 'utf8')
  writeFileSync(file, kept.replace(vault.url, 'http://127.0.0.1:1'))
  const away = await kvault(['disconnect', 'amp', '--yes'])
  expect(away.code).toBe(4)
  expect(away.stderr).toContain('Its key is still valid')
  writeFileSync(file, kept)
  expect((await kvault(['disconnect', 'amp', '--yes'])).code).toBe(0)
  expect(await keysNamed('Amp')).toEqual([])
})

test('a workspace given at connect time is the home of what the agent records, also by the bridge of a project', async () => {
  const { workspace_id } = (await person.post('/api/v1/workspaces', { name: 'Platform team' })).body
  const whole = await apiKeyOf(person)
  const keysOfCodex = async (): Promise<Key[]> =>
    (await person.get('/api/v1/auth/api-keys')).body.filter(
      ({ name }: Key) => name === `Codex on ${hostname()}`,
    )
  const ofOtherTests = (await keysOfCodex()).map(({ key_id }) => key_id)
  const unknown = await kvault([
    'connect',
    'codex',
    '--yes',
    '--key',
    whole,
    '--workspace',
    crypto.randomUUID(),
  ])
  expect(unknown.code).toBe(1)
  expect(unknown.stderr).toContain('You cannot write cards in this workspace')
  const oauth = await kvault(['connect', 'codex', '--yes', '--auth', 'oauth', '--workspace', workspace_id])
  expect(oauth.code).toBe(2)
  const narrow = await apiKeyOf(person, ['search', 'record'])
  const refused = await kvault(['connect', 'codex', '--yes', '--key', narrow, '--workspace', workspace_id])
  expect(refused.stderr).toContain('may not make keys')

  // An agent that is connected already gets a new key: nothing in its entry says where the old one puts cards.
  await kvault(['connect', 'codex', '--yes', '--key', whole])
  const result = await kvault(['connect', 'codex', '--yes', '--key', whole, '--workspace', workspace_id])
  expect(result).toMatchObject({ code: 0, stderr: '' })
  const made = (await keysOfCodex()).filter(({ key_id }) => !ofOtherTests.includes(key_id))
  expect(made).toMatchObject([{ default_workspace_id: workspace_id }])
  const [key = ''] = KEY.exec(text('.codex/config.toml')) ?? []
  const card = ['record', '--title', 'Homing', '--symptom', 'It is away', '--fix', 'It goes home', '--json']
  const recorded = async (args: string[]) => JSON.parse((await kvault(args)).stdout).workspace_id
  expect(await recorded([...card, '--key', key])).toBe(workspace_id)
  expect(await recorded([...card, '--key', whole])).not.toBe(workspace_id)
  put('.kvault.json', JSON.stringify({ workspace_id }))
  await kvault(['allow-workspace', workspace_id, '--key', whole, '--yes'])
  expect(await recorded([...card, '--key', whole])).toBe(workspace_id)
})
