import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ConfigError } from './config.ts'
import { keptSecret } from './secret-key.ts'

const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-secret-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('the secret is made once, readable by its owner only, and nothing else is left behind', () => {
  const dataDir = join(folder, 'new')
  const secret = keptSecret(dataDir)
  expect(secret.length).toBeGreaterThanOrEqual(32)
  expect(keptSecret(dataDir)).toBe(secret)
  expect(readdirSync(dataDir)).toEqual(['secret.key'])
  if (process.platform !== 'win32') expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600)
})

test('an empty secret file stops the start instead of sealing with nothing', () => {
  writeFileSync(join(folder, 'secret.key'), '\n')
  expect(() => keptSecret(folder)).toThrow(ConfigError)
  expect(() => keptSecret(folder)).toThrow(/^SECRET_KEY: .*secret\.key is empty/)
})

test('a secret file that cannot be read is named with the reason, and no other folder is asked for', () => {
  // Root reads every file, so the reason here is a folder of that name.
  const dataDir = join(folder, 'unreadable')
  mkdirSync(join(dataDir, 'secret.key'), { recursive: true })
  expect(() => keptSecret(dataDir)).toThrow(ConfigError)
  expect(() => keptSecret(dataDir)).toThrow(/^SECRET_KEY: .*secret\.key cannot be read \(EISDIR\)\. /)
})
