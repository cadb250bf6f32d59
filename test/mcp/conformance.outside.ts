import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiKeyOf, type LiveVault, liveVault, registerPerson } from '../support/live.ts'
import { installed, node, scenariosOf } from '../support/outside.ts'
import { fixtureServer } from './fixtures.ts'
import { withKey } from './with-key.ts'

const SUITES = {
  '2025-11-25': ['mcp-conformance-2025', '--suite', 'active'],
  '2026-07-28': ['mcp-conformance-2026', '--requirements', '2026-07-28'],
} as const

const SERVERS = {
  product: {},
  // The same door with the suite's own fixtures behind it.
  fixtures: { mcp: { factory: fixtureServer } },
} as const

describe.each(['product', 'fixtures'] as const)('the conformance suite against the %s server', (server) => {
  let vault: LiveVault
  let proxy: { url: string; close: () => void }

  beforeAll(async () => {
    vault = await liveVault({}, SERVERS[server])
    proxy = await withKey(vault.url, await apiKeyOf(await registerPerson(vault)))
  })
  afterAll(async () => {
    proxy.close()
    await vault.close()
  })

  test.each(['2025-11-25', '2026-07-28'] as const)(
    '%s: nothing fails but what the baseline names',
    async (version) => {
      const [name, ...options] = SUITES[version]
      const baseline = join(import.meta.dirname, 'baseline', `${server}-${version}.yml`)
      const suite = installed('suites', name, 'dist', 'index.js')
      const { code, out } = await node(
        suite,
        'server',
        '--url',
        `${proxy.url}/mcp`,
        ...options,
        '--expected-failures',
        baseline,
      )
      expect(scenariosOf(out).length, out).toBeGreaterThan(20)
      expect(code, out.slice(out.indexOf('SUMMARY'))).toBe(0)
    },
  )
})
