import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiKeyOf, type LiveVault, liveVault, registerPerson } from '../support/live.ts'
import { installed, runIn } from '../support/outside.ts'

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
