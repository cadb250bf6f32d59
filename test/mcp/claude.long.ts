import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiKeyOf, type LiveVault, liveVault, registerPerson } from '../support/live.ts'
import { installed, runIn } from '../support/outside.ts'
import { repository } from '../support/process.ts'

let vault: LiveVault
let home: string

beforeAll(async () => {
  vault = await liveVault()
  home = mkdtempSync(join(tmpdir(), 'knowledge-vault-claude-'))
})
afterAll(async () => {
  await vault.close()
  rmSync(home, { recursive: true, force: true })
})

/** The package brings one program for each kind of machine. */
function claude(): string {
  const os = process.platform === 'win32' ? 'win32' : process.platform
  const program = process.platform === 'win32' ? 'claude.exe' : 'claude'
  const candidates = ['', '-musl'].map((libc) => join(`claude-code-${os}-${process.arch}${libc}`, program))
  const base = join(installed('claude', '@anthropic-ai', 'claude-code', 'package.json'), '..', '..')
  const found = candidates.map((path) => join(base, path)).find(existsSync)
  if (!found) throw new Error(`No claude-code for ${os} ${process.arch}`)
  return found
}

test('Claude Code, in a clean home, connects with a key in a header', async () => {
  const key = await apiKeyOf(await registerPerson(vault))
  const address = `${vault.url}/mcp`
  const added = await runIn(home, claude(), [
    ...['mcp', 'add', '--transport', 'http', 'vault', address, '--header', `X-API-Key: ${key}`],
  ])
  expect(added.code, added.out).toBe(0)
  const listed = await runIn(home, claude(), ['mcp', 'list'])
  expect(listed.out).toMatch(/vault: .*\/mcp \(HTTP\) - . ?Connected/)
})

test('without a credential it is told that it must sign in', async () => {
  const added = await runIn(home, claude(), [
    'mcp',
    'add',
    '--transport',
    'http',
    'locked',
    `${vault.url}/mcp`,
  ])
  expect(added.code, added.out).toBe(0)
  const listed = await runIn(home, claude(), ['mcp', 'list'])
  expect(listed.out).toMatch(/locked: .*Needs authentication/i)
})

test('at localhost it is told the same, though the vault calls itself 127.0.0.1', async () => {
  const address = `${vault.url.replace('127.0.0.1', 'localhost')}/mcp`
  const added = await runIn(home, claude(), ['mcp', 'add', '--transport', 'http', 'named', address])
  expect(added.code, added.out).toBe(0)
  const listed = await runIn(home, claude(), ['mcp', 'list'])
  expect(listed.out).toMatch(/named: .*localhost.*Needs authentication/i)
})

test('the plugin and its marketplace are valid in every point', async () => {
  for (const path of [repository, join(repository, 'plugins', 'claude-code')]) {
    const { code, out } = await runIn(home, claude(), ['plugin', 'validate', '--strict', path])
    expect(code, out).toBe(0)
    expect(out).not.toContain('Advice')
  }
})

test('the plugin is installed by the line in its README, and its server connects', async () => {
  const page = readFileSync(join(repository, 'plugins', 'claude-code', 'README.md'), 'utf8')
  const line = /^claude (plugin install .*)$/m.exec(page)?.[1] ?? ''
  const args = line.replace(/<checkout or [^>]*>/, repository).split(' ')
  const key = await apiKeyOf(await registerPerson(vault, 'plugin@example.com'))
  const env = { KVAULT_URL: vault.url, KVAULT_API_KEY: key }
  const done = await runIn(home, claude(), args, env)
  expect(done.code, done.out).toBe(0)
  const listed = await runIn(home, claude(), ['plugin', 'list'], env)
  expect(listed.out).toMatch(/vault@knowledge-vault[\s\S]*enabled/i)
  const servers = await runIn(home, claude(), ['mcp', 'list'], env)
  expect(servers.out).toMatch(/plugin:vault:knowledge-vault: .*mcp\.mjs - . ?Connected/)
  const details = await runIn(home, claude(), ['plugin', 'details', 'vault'], env)
  expect(details.out).toMatch(/SessionStart[\s\S]*PostToolUseFailure[\s\S]*Stop/)
})
