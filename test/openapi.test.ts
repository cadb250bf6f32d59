import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { capabilities, rawRoutes } from '../src/capabilities.ts'
import { describeApi } from '../src/doors/http/openapi.ts'
import { repository } from './support/process.ts'

// biome-ignore lint/suspicious/noExplicitAny: the test walks through the whole document
const api = describeApi({ capabilities, rawRoutes }, 'http://127.0.0.1:8080') as any

test('the description is OpenAPI 3.1 at version 0.1.0 with both security schemes', () => {
  expect(api.openapi).toBe('3.1.0')
  expect(api.info.version).toBe('0.1.0')
  expect(Object.keys(api.components.securitySchemes)).toEqual(['APIKeyHeader', 'HTTPBearer'])
})

test('an independent linter finds no error', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-openapi-'))
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(api))
  const lint = promisify(execFile)(
    'npx',
    ['redocly', 'lint', file, '--config', join(repository, 'redocly.yaml')],
    {
      cwd: repository,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  )
  await expect(lint).resolves.toBeDefined()
  rmSync(folder, { recursive: true })
})

test('every reference leads somewhere', () => {
  const names = new Set(Object.keys(api.components.schemas))
  const referred = [...JSON.stringify(api).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
    ([, name]) => name,
  )
  expect(referred.filter((name) => !names.has(name ?? ''))).toEqual([])
})
