import { isAbsolute, join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { userDataFolder } from '../../core/user-folders.ts'
import { home } from './connect/clients.ts'
import { dotConfig, ownDataFolder, settingsFolder } from './local-files.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

test('with an empty HOME no settings are read from the working folder, which may be a repository of a stranger', () => {
  for (const name of ['HOME', 'USERPROFILE', 'KVAULT_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME'])
    vi.stubEnv(name, '')
  for (const folder of [settingsFolder(), ownDataFolder(), home('.claude')])
    expect(isAbsolute(folder), folder).toBe(true)
})

test('a relative XDG folder is none, so that settings with a key are not written into a repository', () => {
  vi.stubEnv('KVAULT_HOME', '')
  for (const name of ['XDG_CONFIG_HOME', 'XDG_DATA_HOME']) vi.stubEnv(name, 'in/here')
  for (const folder of [
    settingsFolder(),
    dotConfig('amp'),
    userDataFolder('kvault', process.env, '/home/me', 'linux'),
  ])
    expect(isAbsolute(folder), folder).toBe(true)
  vi.stubEnv('XDG_CONFIG_HOME', '/elsewhere')
  expect(settingsFolder()).toBe(join('/elsewhere', 'kvault'))
})
