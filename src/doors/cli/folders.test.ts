import { isAbsolute } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { home } from './clients/client.ts'
import { ownDataFolder, settingsFolder } from './folders.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

test('with an empty HOME no settings are read from the working folder, which may be a repository of a stranger', () => {
  for (const name of ['HOME', 'USERPROFILE', 'KVAULT_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME'])
    vi.stubEnv(name, '')
  for (const folder of [settingsFolder(), ownDataFolder(), home('.claude')])
    expect(isAbsolute(folder), folder).toBe(true)
})
