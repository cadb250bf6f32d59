import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { gunzipSync, inflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { npmPackage } from '../../src/features/guide/command-package.ts'
import { CORE_TOOL_NAMES } from '../../src/shared/core-tools.ts'
import { goodCard } from '../support/cards.ts'
import { apiKeyOf, type LiveVault, liveVault, type Person, registerPerson } from '../support/live.ts'
import { newestIn } from '../support/newest.ts'
import { type CommandResult, repository } from '../support/process.ts'

const TOOLS = CORE_TOOL_NAMES.length

let vault: LiveVault
let person: Person
let folder: string

const MAX_BYTES = 1024 * 1024
const CONFIGS = ['vite.config.ts', 'vite.hook.config.ts']

/** The command as it is written now. `npm ci` has made it; a build older than its sources is made again. */
function build(): void {
  const folder = join(repository, 'packages', 'cli')
  const sources = [
    ...['src', 'package.json', 'package-lock.json'].map((name) => join(repository, name)),
    ...CONFIGS.map((name) => join(folder, name)),
  ]
  const newest = Math.max(...sources.map(newestIn))
  const isNew = (file: string) => existsSync(file) && statSync(file).mtimeMs > newest
  if (['cli.js', 'hook.js', 'hook-later.js', 'hook-outgoing.js'].every((name) => isNew(join(folder, name))))
    return
  // In a process of its own, as `npm ci` does it.
  const vite = join(repository, 'node_modules', 'vite', 'bin', 'vite.js')
  for (const name of CONFIGS)
    execFileSync(process.execPath, [vite, 'build', '--config', join(folder, name), '--logLevel', 'error'], {
      cwd: repository,
      env: { ...process.env, NODE_ENV: 'production' },
    })
}

beforeAll(async () => {
  build()
  vault = await liveVault({ RATE_LIMIT: 'off' })
  person = await registerPerson(vault)
  folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-package-'))
})
afterAll(async () => {
  await vault.close()
  rmSync(folder, { recursive: true, force: true })
})

/** The Node and npm of this machine, whatever they are, and not those that the checkout brings. */
const machinePath = (): string =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .filter((one) => !one.includes('node_modules'))
    .join(delimiter)

/** Somebody's laptop: an empty home, an empty cache of npm, and a registry that does not answer. */
function laptop(program: string, args: string[], env: Record<string, string> = {}): Promise<CommandResult> {
  const home = join(folder, 'home')
  const work = join(folder, 'work')
  for (const one of [home, work]) mkdirSync(one, { recursive: true })
  const child = spawn(program, args, {
    cwd: work,
    env: {
      PATH: machinePath(),
      HOME: home,
      LANG: 'C.UTF-8',
      npm_config_cache: join(folder, 'cache'),
      npm_config_registry: 'http://127.0.0.1:1/',
      npm_config_update_notifier: 'false',
      // npm would go on asking it for more than a minute.
      npm_config_fetch_retries: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return outcomeOf(child)
}

function outcomeOf(child: ChildProcess): Promise<CommandResult> {
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', (chunk) => (stdout += chunk))
  child.stderr?.on('data', (chunk) => (stderr += chunk))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })))
}

/** The command as npx has installed it; npm itself takes most of the time of each npx. */
async function installed(args: string[], env: Record<string, string> = {}): Promise<CommandResult> {
  const cache = join(folder, 'cache', '_npx')
  if (!existsSync(cache)) await laptop('npx', ['-y', `${vault.url}/kvault.tgz`, '--version'])
  const [name = ''] = readdirSync(cache)
  return laptop(join(cache, name, 'node_modules', '.bin', 'kvault'), args, env)
}

test('npx connects an agent from an empty folder, by the address of the vault alone', async () => {
  const key = await apiKeyOf(person)
  mkdirSync(join(folder, 'home', '.codex'), { recursive: true })
  const result = await laptop('npx', ['-y', `${vault.url}/kvault.tgz`, 'connect', '--yes', '--key', key])
  expect(result).toMatchObject({ code: 0, stderr: '' })
  expect(result.stdout).toContain(`Codex is connected to ${vault.url}: ${TOOLS} tools answer`)
  // npx leaves no `kvault` behind, so what to type next begins as this call did.
  expect(result.stdout).toContain(`switch them off: npx -y ${vault.url}/kvault.tgz hooks off codex`)
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  expect((await installed(['--version'])).stdout.trim()).toBe(version)
  const pointed = await installed(['backup', 'file'])
  expect(pointed.code).toBe(2)
  expect(pointed.stderr).toContain('knowledge-vault backup')
}, 120_000)

test('after an upgrade of the vault npx has an old command; connect deletes it, and doctor finds an old copy', async () => {
  const connect = ['-y', `${vault.url}/kvault.tgz`, 'connect', 'codex', '--yes']
  const env = { KVAULT_API_KEY: await apiKeyOf(person) }
  const version = (await installed(['--version'])).stdout.trim()
  const kept = join(folder, 'cache', '_npx', readdirSync(join(folder, 'cache', '_npx'))[0] ?? '')
  const old = join(kept, 'node_modules', 'kvault', 'cli.js')
  writeFileSync(old, readFileSync(old, 'utf8').replaceAll(version, '0.0.9'))
  expect(await laptop('npx', connect, env)).toMatchObject({
    code: 4,
    stderr: `npx had kept kvault 0.0.9; ${vault.url} has ${version}. The old one is deleted: repeat the command.\n`,
  })
  expect(await laptop('npx', connect, env)).toMatchObject({ code: 0, stderr: '' })
  const copy = join(folder, 'home', '.local', 'share', 'kvault', 'cli', 'package.json')
  writeFileSync(copy, readFileSync(copy, 'utf8').replace(version, '0.0.9'))
  const { findings } = JSON.parse((await installed(['doctor', '--json'], env)).stdout)
  expect(findings).toContainEqual({
    what: 'Own copy',
    state: 'warn',
    detail: `kvault 0.0.9, which hooks start; server ${version}`,
    advice: `npx -y ${vault.url}/kvault.tgz connect`,
  })
  // Hooks ask their own vault, whatever another one has.
  const other = await liveVault({ RATE_LIMIT: 'off' })
  const elsewhere = await installed(['doctor', '--json', '--url', other.url], env)
  await other.close()
  expect(elsewhere.stdout).toContain('"Version"')
  expect(elsewhere.stdout).not.toContain('"Own copy"')
}, 120_000)

test('entries to copy are for the vault that handed out the command, whichever was used before', async () => {
  const home = join(folder, 'elsewhere')
  mkdirSync(join(home, '.config', 'kvault'), { recursive: true })
  const key = ['kv', 'x'.repeat(40)].join('_')
  writeFileSync(
    join(home, '.config', 'kvault', 'profile.json'),
    JSON.stringify({ url: 'http://127.0.0.1:1', apiKey: key }),
  )
  const { stdout } = await installed(['connect', '--print'], { HOME: home })
  expect(stdout).toContain(`"url": "${vault.url}/mcp?profile=core"`)
  expect(stdout).not.toContain(key)
})

test('a dry run leaves no copy of the command behind', async () => {
  const home = join(folder, 'dry')
  mkdirSync(join(home, '.codex'), { recursive: true })
  const result = await installed(['connect', '--dry-run'], { HOME: home })
  expect(result).toMatchObject({ code: 0, stderr: '' })
  expect(result.stdout).toContain('[mcp_servers.knowledge-vault]')
  expect(readdirSync(home)).toEqual(['.codex'])
}, 120_000)

test('the package holds cards against lock files and gives verdicts', async () => {
  const card = goodCard(undefined, { environment: { node: '24' } })
  const { card_id } = (await person.post('/api/v1/cards', card)).body
  mkdirSync(join(folder, 'work'), { recursive: true })
  writeFileSync(join(folder, 'work', '.nvmrc'), '24.1.0\n')
  const key = await apiKeyOf(person)
  const command = (...args: string[]) => installed([...args, '--json'], { KVAULT_API_KEY: key })
  const said = await command('verify-card', card_id, '--worked')
  expect(said).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(said.stdout).environment).toEqual({ node: '24.1.0' })
  const checked = await command('check')
  expect(checked).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(checked.stdout).counts).toMatchObject({ older: 0, exact: 1, with_verdict: 1 })
}, 120_000)

test('what a program starts itself is a copy that stays when npm empties its cache', async () => {
  const key = await apiKeyOf(person)
  mkdirSync(join(folder, 'home', '.config', 'Claude'), { recursive: true })
  const connected = await installed(['connect', 'claude-desktop', '--yes', '--key', key])
  expect(connected).toMatchObject({ code: 0, stderr: '' })
  const file = join(folder, 'home', '.config', 'Claude', 'claude_desktop_config.json')
  const entry = JSON.parse(readFileSync(file, 'utf8')).mcpServers['knowledge-vault']
  expect(entry.args[0]).toBe(join(folder, 'home', '.local', 'share', 'kvault', 'cli', 'kvault.js'))
  // Hooks that start meanwhile find the old part or the new one: it is replaced, not written in place.
  const hook = join(folder, 'home', '.local', 'share', 'kvault', 'cli', 'hook.js')
  linkSync(hook, join(folder, 'former-hook.js'))
  expect((await installed(['connect', 'claude-desktop', '--yes', '--key', key])).code).toBe(0)
  expect(statSync(hook).ino).not.toBe(statSync(join(folder, 'former-hook.js')).ino)
  rmSync(join(folder, 'cache'), { recursive: true })
  const version = await laptop(entry.command, [entry.args[0], '--version'])
  expect(version).toMatchObject({ code: 0, stderr: '' })
}, 120_000)

test('the package is the same bytes every time, small, and asked for again only when it changed', async () => {
  const first = await fetch(`${vault.url}/kvault.tgz`)
  const bytes = Buffer.from(await first.arrayBuffer())
  expect(bytes.equals(await npmPackage(vault.url))).toBe(true)
  expect(gunzipSync(bytes).length).toBeLessThan(MAX_BYTES)
  expect(first.headers.get('content-type')).toBe('application/gzip')
  const etag = first.headers.get('etag') ?? ''
  const again = await fetch(`${vault.url}/kvault.tgz`, { headers: { 'if-none-match': etag } })
  expect(again.status).toBe(304)
})

test('the bundle for Claude Desktop is a zip with a manifest and the same command', async () => {
  const bytes = Buffer.from(await (await fetch(`${vault.url}/kvault.mcpb`)).arrayBuffer())
  expect(bytes.readUInt32LE(0)).toBe(0x04034b50)
  const name = bytes.readUInt16LE(26)
  expect(bytes.toString('utf8', 30, 30 + name)).toBe('manifest.json')
  const packed = bytes.subarray(30 + name, 30 + name + bytes.readUInt32LE(18))
  const manifest = JSON.parse(inflateRawSync(packed).toString('utf8'))
  expect(manifest.user_config.url.default).toBe(vault.url)
  expect(bytes.includes(manifest.server.entry_point)).toBe(true)
})

/** Knows no package, as the registry knows none by this name. */
async function emptyRegistry() {
  const server = createServer((_request, response) => {
    response.writeHead(404, { 'content-type': 'application/json' })
    response.end('{"error":"not found"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() }
}

test('npm would publish it: the name kvault, no dependencies, with provenance', async () => {
  const registry = await emptyRegistry()
  const packageFolder = join(repository, 'packages', 'cli')
  const result = await laptop('npm', ['publish', packageFolder, '--dry-run', '--json'], {
    npm_config_registry: registry.url,
    [`npm_config_//${new URL(registry.url).host}/:_authToken`]: 'none',
  })
  registry.close()
  expect(result.code, result.stderr).toBe(0)
  const said = JSON.parse(result.stdout)
  const about = said.kvault ?? said
  expect(about.name).toBe('kvault')
  expect(about.unpackedSize).toBeLessThan(MAX_BYTES)
  const files: string[] = about.files.map(({ path }: { path: string }) => path)
  expect(files.sort()).toEqual([
    'LICENSE',
    'README.md',
    'cli.js',
    'hook-before.js',
    'hook-later.js',
    'hook-outgoing.js',
    'hook.js',
    'kvault.js',
    'package.json',
  ])
  const manifest = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))
  expect(manifest.dependencies).toBeUndefined()
  expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true })
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  expect(manifest.version).toBe(version)
  const workflow = readFileSync(join(repository, '.github', 'workflows', 'release.yml'), 'utf8')
  expect(workflow).toContain('id-token: write')
  expect(workflow).toContain('npm publish')
}, 60_000)
