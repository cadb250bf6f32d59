import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allVersionsOf, environmentOf } from './lock-files.ts'

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

test('a file of a stranger puts nothing into a question that the vault would refuse it for', () => {
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-environment-'))
  const packages = {
    'node_modules/zod': { version: `4.1.0 ${'x'.repeat(5000)}` },
    [`node_modules/${'n'.repeat(201)}`]: { version: '1.2.3' },
    'node_modules/long': { version: `1.${'2'.repeat(5000)}` },
  }
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }))
  writeFileSync(join(folder, '.nvmrc'), `v24.1 ${'and more words '.repeat(500)}\n`)
  expect(allVersionsOf(folder)).toEqual({ node: '24.1', zod: '4.1.0' })
  rmSync(folder, { recursive: true, force: true })
})
