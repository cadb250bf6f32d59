import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { greeting, settingsWithoutEffect, warningsAtStart } from './startup.ts'

test('the hint on admins names the command as it is called here', () => {
  const config = readConfig({ ADMIN_EMAILS: 'boss@example.com' })
  expect(greeting(config, true)).toContain('run: knowledge-vault admin grant boss@example.com\n')
  expect(greeting(config, false)).toContain('run: node bin/kvault.js admin grant boss@example.com\n')
  expect(greeting(readConfig({}), true)).not.toContain('admin')
})

test('the greeting names the port that the server listens on if people use another address', () => {
  expect(greeting(readConfig({ PORT: '9001' }), true)).not.toContain('Listens')
  const behind = greeting(readConfig({ PORT: '9001', BASE_URL: 'https://vault.example' }), true)
  expect(behind).toContain('is up at https://vault.example\n  Listens    at http://127.0.0.1:9001\n')
})

test('each name in the settings file that is no setting is a warning', () => {
  expect(warningsAtStart(readConfig({}), settingsWithoutEffect({}, ['BACKUP_DRI']))).toEqual([
    'Warning: BACKUP_DRI in the settings file is no setting of this program and has no effect.\n',
  ])
})

test('so is a setting that does nothing without another one', () => {
  expect(settingsWithoutEffect({ BACKUP_EVERY_HOURS: '6', LLM_API_KEY: 'k', LLM_BASE_URL: ' ' }, [])).toEqual(
    [
      'BACKUP_EVERY_HOURS has no effect without BACKUP_DIR.',
      'LLM_API_KEY has no effect without LLM_BASE_URL.',
    ],
  )
  const used = { BACKUP_KEEP: '3', BACKUP_DIR: '/srv/backups', MAIL_FROM: '', PORT: '9000' }
  expect(settingsWithoutEffect(used, [])).toEqual([])
})

test('a path in BASE_URL, below which the pages do not work, is a warning', () => {
  const warnings = (BASE_URL: string) => warningsAtStart(readConfig({ BASE_URL, NODE_ENV: 'production' }))
  expect(warnings('https://vault.example/')).toEqual([])
  expect(warnings('https://example.com/vault/')).toEqual([
    expect.stringMatching(/^Warning: BASE_URL has the path \/vault\. .*\n$/),
  ])
})

test('an address that nobody else can open is a warning behind a proxy, and where the server listens on all of them', () => {
  const warnings = (env: Record<string, string | undefined>) =>
    warningsAtStart(readConfig({ NODE_ENV: 'production', ...env }))
  for (const env of [{ TRUST_PROXY: 'on' }, { HOST: '0.0.0.0' }, { HOST: '::' }])
    expect(warnings(env)).toEqual([
      expect.stringMatching(/^Warning: Links in mails and redirects lead to .*\n$/),
    ])
  expect(warnings({})).toEqual([])
  expect(warnings({ HOST: '0.0.0.0', TRUST_PROXY: 'on', BASE_URL: 'https://vault.example' })).toEqual([])
})

test('mails from an address that no other server accepts are a warning, once others use the vault', () => {
  const warnings = (env: Record<string, string>) =>
    warningsAtStart(readConfig({ NODE_ENV: 'production', SMTP_URL: 'smtp://mail.example', ...env }))
  const BASE_URL = 'https://vault.example'
  expect(warnings({ BASE_URL })).toEqual([
    expect.stringMatching(/^Warning: Mails come from .*@localhost>, .* Set MAIL_FROM .*\n$/),
  ])
  expect(warnings({ BASE_URL, MAIL_FROM: 'vault@vault.example' })).toEqual([])
  expect(warnings({})).toEqual([])
})
