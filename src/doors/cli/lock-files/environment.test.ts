import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allVersionsOf, environmentOf } from './environment.ts'

test('what a person has chosen comes first; a question gets thirty names, mining all of them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-environment-'))
  const names = Array.from({ length: 40 }, (_, at) => `part-${at + 10}`)
  const packages = Object.fromEntries(
    [...names, 'zod'].map((name) => [`node_modules/${name}`, { version: '1.2.3' }]),
  )
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies: { zod: '^1.0.0' } }))
  expect(Object.keys(allVersionsOf(folder))).toEqual(['zod', ...names])
  expect(Object.keys(environmentOf(folder))).toEqual(['zod', ...names.slice(0, 29)])
  rmSync(folder, { recursive: true, force: true })
})
