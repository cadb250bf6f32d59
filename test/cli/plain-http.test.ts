import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isPlainElsewhere, requireEncryption } from '../../src/doors/cli/connect/consent.ts'
import { checkTls } from '../../src/doors/cli/doctor.ts'
import { saveProfile } from '../../src/doors/cli/profile.ts'
import { runKvault } from '../support/process.ts'

const VAULT = 'http://vault.invalid:8080'
const CLEAR =
  /your key, your prompts, the output of failing commands, and this program itself travel there in clear/

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'knowledge-vault-home-'))
  vi.stubEnv('KVAULT_HOME', home)
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  rmSync(home, { recursive: true, force: true })
})

test('plain http to another machine is told from https and from this machine', () => {
  for (const url of [
    VAULT,
    'http://10.0.0.7',
    'http://team-vault',
    'http://0.0.0.0:80',
    'http://127.0.0.1.example',
  ])
    expect(isPlainElsewhere(url), url).toBe(true)
  for (const url of [
    'https://vault.invalid',
    'http://127.0.0.1:8080',
    'http://localhost:1',
    'http://[::1]:2',
  ])
    expect(isPlainElsewhere(url), url).toBe(false)
})

test.each([
  ['login', '--key', 'kv_x'],
  ['login', '--email', 'a@example.com', '--password-stdin'],
  ['connect', 'codex', '--yes', '--key', 'kv_x'],
  ['connect', 'codex'],
])('%s %s %s: without a terminal it needs --http, and sends nothing before', async (...args) => {
  mkdirSync(join(home, '.codex'))
  const env = { HOME: home, KVAULT_HOME: join(home, 'kvault') }
  const run = (...more: string[]) =>
    runKvault([...args, '--url', VAULT, ...more], env, { cwd: home, input: 'a password' })
  const refused = await run()
  expect(refused.code).toBe(2)
  expect(refused.stderr).toMatch(CLEAR)
  expect(refused.stderr).toContain('add --http if you mean it')
  const meant = await run('--http')
  expect(meant.stderr).toMatch(CLEAR)
  expect(meant.stderr).not.toContain('add --http')
  expect(`${meant.stdout}${meant.stderr}`).toMatch(/cannot be reached|no terminal to ask on/)
})

test('entries to copy are printed, with a word about what travels in clear', async () => {
  const args = ['connect', 'codex', '--print', '--key', 'kv_x', '--url', VAULT]
  const { code, stdout, stderr } = await runKvault(args, { HOME: home, KVAULT_HOME: home }, { cwd: home })
  expect([code, stdout]).toEqual([0, expect.stringContaining(VAULT)])
  expect(stderr).toMatch(CLEAR)
})

test('the vault that one is signed in to is not asked about again, and doctor warns of it', async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  await expect(requireEncryption(VAULT, {})).rejects.toThrow(CLEAR)
  saveProfile({ url: VAULT, apiKey: 'kv_x' })
  await expect(requireEncryption(VAULT, {})).resolves.toBeUndefined()
  await expect(requireEncryption('http://other.invalid', {})).rejects.toThrow(CLEAR)
  expect(await checkTls(VAULT)).toMatchObject({
    state: 'warn',
    detail: expect.stringContaining('your prompts'),
  })
})
