import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { disconnect } from '../../src/doors/cli/connect/connect.ts'
import { apiKeyOf, type LiveVault, liveVault, type Person, registerPerson } from '../support/live.ts'
import { type CommandResult, runKvault } from '../support/process.ts'

// What is left of a client's files after several rounds of connect, and edits by others between them.

let vault: LiveVault
let person: Person
let home: string
let key: string
let workspace: string

beforeAll(async () => {
  vault = await liveVault({ RATE_LIMIT: 'off' })
  person = await registerPerson(vault)
  key = await apiKeyOf(person)
  workspace = (await person.post('/api/v1/workspaces', { name: 'Team' })).body.workspace_id
})
afterAll(() => vault.close())
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'knowledge-vault-hömes a-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const kvault = (...args: string[]): Promise<CommandResult> =>
  runKvault(
    args,
    { PATH: dirname(process.execPath), HOME: home, LANG: 'C.UTF-8', KVAULT_URL: vault.url },
    { cwd: home },
  )

const at = (...parts: string[]) => join(home, ...parts)
const text = (path: string) => readFileSync(at(path), 'utf8')

function put(path: string, content: string): void {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), content)
}

/** Twice: the second time with a new key, so that the entry is written again. */
async function connectTwice(client: string): Promise<void> {
  for (const more of [[], ['--workspace', workspace]])
    expect(await kvault('connect', client, '--yes', '--key', key, ...more)).toMatchObject({
      code: 0,
      stderr: '',
    })
}

const SETTINGS = {
  gemini: '.gemini/settings.json',
  'claude-code': '.claude.json',
  cursor: '.cursor/mcp.json',
  qwen: '.qwen/settings.json',
}

test('a file that got an entry twice is afterwards as before the first time, also with hooks in it', async () => {
  const samples = ['{\n  // my theme\n  "theme": "dark", /* x */\n}\n', '{"mcpServers":{}}']
  for (const [client, file] of Object.entries(SETTINGS))
    for (const before of samples) {
      put(file, before)
      await connectTwice(client)
      expect(await kvault('disconnect', client, '--yes')).toMatchObject({ code: 0, stderr: '' })
      expect(text(file), client).toBe(before)
    }
})

test('a file that connect made is gone again, also after a second time', async () => {
  for (const [client, file] of Object.entries(SETTINGS)) {
    await connectTwice(client)
    await kvault('disconnect', client, '--yes')
    expect(existsSync(at(file)), client).toBe(false)
  }
})

test('in a file that others changed meanwhile, no empty map of servers of ours stays', async () => {
  put('.gemini/settings.json', '{\n  "theme": "dark"\n}\n')
  put('.cursor/mcp.json', '{\n  "theme": "dark",\n  "mcpServers": {}\n}\n')
  for (const client of ['gemini', 'cursor'] as const) {
    await connectTwice(client)
    put(SETTINGS[client], text(SETTINGS[client]).replace('dark', 'light'))
    await kvault('disconnect', client, '--yes')
  }
  expect(text('.gemini/settings.json')).toBe('{\n  "theme": "light"\n}\n')
  expect(JSON.parse(text('.cursor/mcp.json'))).toEqual({ theme: 'light', mcpServers: {} })
})

/** What others do while connect waits for a key, and while it tries the entry. */
type Others = { atKey?: (name: string) => void; atTry?: () => void; isRefused?: boolean }

/** A vault that makes keys and has no tools. */
async function standIn({ atKey, atTry, isRefused }: Others, work: (url: string) => Promise<void>) {
  const server = createServer(async (request, response) => {
    let sent = ''
    for await (const chunk of request) sent += chunk
    const { id, name } = JSON.parse(sent || '{}')
    const isTry = request.url?.startsWith('/mcp') ?? false
    if (isTry) atTry?.()
    else if (request.method === 'POST') atKey?.(name)
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (!isTry) return answer(201, { api_key: 'kv_made', key_id: 'one' })
    return isRefused ? answer(403, { detail: 'Not here.' }) : answer(200, { id, result: { tools: [] } })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`).finally(() => server.close())
}

const entryIn = (path: string) => JSON.parse(text(path)).mcpServers?.['knowledge-vault']

test('what the agent writes into its files while connect waits for a key stays', async () => {
  put('.claude.json', '{"starts": 1}')
  put('.claude/settings.json', '{"theme": "dark"}')
  const atKey = (name: string) => {
    if (name.startsWith('kvault')) put('.claude/settings.json', '{"theme": "light"}')
    else put('.claude.json', '{"starts": 2}')
  }
  await standIn({ atKey }, async (url) => {
    const result = await kvault('connect', 'claude-code', '--yes', '--key', 'kv_given', '--url', url)
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(entryIn('.claude.json').url).toBe(`${url}/mcp?profile=core`)
  })
  expect(JSON.parse(text('.claude.json')).starts).toBe(2)
  const { theme, hooks } = JSON.parse(text('.claude/settings.json'))
  expect([theme, Object.keys(hooks)]).toEqual(['light', expect.arrayContaining(['Stop'])])
  await kvault('disconnect', 'claude-code', '--yes')
  expect([text('.claude.json'), text('.claude/settings.json')]).toEqual([
    '{"starts": 2}',
    '{"theme": "light"}',
  ])
})

test('what the agent writes while connect tries an entry that does not work stays, without the entry', async () => {
  const former = { type: 'http', url: 'http://127.0.0.1:1/mcp' }
  for (const mcpServers of [undefined, { 'knowledge-vault': former }]) {
    put('.claude.json', JSON.stringify({ starts: 1, mcpServers }))
    const atTry = () => put('.claude.json', text('.claude.json').replace('"starts":1', '"starts":2'))
    await standIn({ atTry, isRefused: true }, async (url) => {
      const result = await kvault('connect', 'claude-code', '--yes', '--key', 'kv_given', '--url', url)
      expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('Not here.') })
    })
    expect(JSON.parse(text('.claude.json'))).toEqual({ starts: 2, ...(mcpServers ? { mcpServers } : {}) })
  }
})

test('what the agent writes while disconnect asks stays', async () => {
  put('.claude.json', '{"starts": 1}')
  await connectTwice('claude-code')
  const options = {
    /** Read when the person is asked. */
    get yes() {
      put('.claude.json', text('.claude.json').replace('"starts": 1', '"starts": 2'))
      const settings = JSON.parse(text('.claude/settings.json'))
      put('.claude/settings.json', JSON.stringify({ theme: 'light', ...settings }))
      return true
    },
  }
  vi.stubEnv('HOME', home)
  for (const name of ['KVAULT_HOME', 'XDG_CONFIG_HOME', 'CLAUDE_CONFIG_DIR']) vi.stubEnv(name, '')
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  try {
    expect(await disconnect(['claude-code'], options)).toBe(0)
  } finally {
    printed.mockRestore()
    vi.unstubAllEnvs()
  }
  expect([text('.claude.json'), text('.claude/settings.json')]).toEqual([
    '{"starts": 2}',
    '{"theme":"light"}',
  ])
})

test('a link whose target is not there yet stays a link, and its target is written', async () => {
  mkdirSync(at('.qwen'))
  symlinkSync('../dotfiles/qwen.json', at('.qwen/settings.json'))
  await connectTwice('qwen')
  expect(lstatSync(at('.qwen/settings.json')).isSymbolicLink()).toBe(true)
  expect(text('dotfiles/qwen.json')).toContain('knowledge-vault')
  await kvault('disconnect', 'qwen', '--yes')
  expect(lstatSync(at('.qwen/settings.json')).isSymbolicLink()).toBe(true)
  expect(existsSync(at('dotfiles/qwen.json'))).toBe(false)
})

test('doctor advises to repair a file that cannot be read: another connect would stop there too', async () => {
  put('.codex/config.toml', 'model = ')
  const { stdout } = await kvault('doctor', '--key', key)
  expect(stdout).toMatch(/fail +Codex +\S.*cannot be read as TOML.* → Repair the file\./)
})

test('doctor says of a hook that once failed that the finding goes when it runs again', async () => {
  await connectTwice('gemini')
  put(
    '.config/kvault/hook-runs/gemini.start.json',
    '{"at":"2026-01-02T03:04:05.000Z","ms":70,"chars":0,"error":"away"}',
  )
  const { stdout } = await kvault('doctor', '--key', key)
  expect(stdout).toMatch(/fail +Gemini CLI .*start: .*: away.* +→ .*this goes when the hook runs again\./)
})

const profile = () => JSON.parse(text('.config/kvault/profile.json'))

test('hooks that are there go along to the vault that an agent is connected to', async () => {
  await connectTwice('gemini')
  const other = await liveVault({ RATE_LIMIT: 'off' })
  try {
    const others = await apiKeyOf(await registerPerson(other))
    const given = ['connect', 'gemini', '--key', others, '--url', other.url]
    expect((await kvault(...given, '--dry-run')).stdout).toContain('a new one for the hooks of Gemini CLI')
    expect(profile().url).toBe(vault.url)
    expect(await kvault(...given, '--yes')).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining(`Your agents now use ${other.url}.`),
    })
    expect(profile().url).toBe(other.url)
    expect((await kvault(...given, '--yes')).stdout).not.toContain('Your agents now use')
  } finally {
    await other.close()
  }
})

test('hooks that are there get a new key once theirs has ended, or after a sign-out', async () => {
  await connectTwice('gemini')
  const { keyId } = profile()
  await person.delete(`/api/v1/auth/api-keys/${keyId}`)
  // The entry has a key of its own, so it still works.
  const alone = await kvault('connect', 'gemini', '--yes')
  expect(alone.code).toBe(3)
  expect(alone.stderr).toContain(`The key of kvault login has ended. Run: kvault login --url ${vault.url}`)
  expect((await kvault('connect', 'gemini', '--yes', '--key', key)).code).toBe(0)
  expect(profile().keyId).not.toBe(keyId)
  expect((await kvault('logout', '--yes')).code).toBe(0)
  expect((await kvault('connect', 'gemini', '--yes', '--key', key)).code).toBe(0)
  expect((await kvault('doctor')).stdout).toMatch(/ok +Credential +accepted/)
})
