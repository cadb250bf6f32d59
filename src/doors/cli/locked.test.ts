import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readLocked } from './lock-files.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'knowledge-vault-locked-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}
const lock = (version: string) =>
  JSON.stringify({ packages: { 'node_modules/fastify': { version } }, lockfileVersion: 3 })

test('the folder, its folders and the workspaces under packages are read, and nothing deeper', () => {
  write('package-lock.json', lock('5.8.5'))
  write('api/package-lock.json', lock('4.0.0'))
  write('packages/web/package-lock.json', lock('3.0.0'))
  write('src/deep/package-lock.json', lock('2.0.0'))
  write('node_modules/x/package-lock.json', lock('1.0.0'))
  write('node_modules/package-lock.json', lock('1.0.0'))
  write('.cache/package-lock.json', lock('1.0.0'))
  const { versions, files } = readLocked(root)
  expect(versions.get('npm:fastify')).toEqual(['5.8.5', '4.0.0', '3.0.0'])
  expect(files).toEqual(['package-lock.json', 'api/package-lock.json', 'packages/web/package-lock.json'])
  expect(readLocked(root, join(root, 'src', 'deep')).versions.get('npm:fastify')).toEqual([
    '2.0.0',
    '5.8.5',
    '4.0.0',
    '3.0.0',
  ])
})

test('in one folder the more exact file is believed', () => {
  write('.nvmrc', '24.1.0')
  write('package.json', '{"engines":{"node":">=20"}}')
  write('go.mod', 'module a\n\nrequire example.com/a v1.0.0\n')
  write('go.sum', 'example.com/a v1.5.0 h1:x=\nexample.com/b v2.0.0 h1:x=\n')
  const { versions } = readLocked(root)
  expect(versions.get('runtime:node')).toEqual(['24.1.0'])
  expect(versions.get('go:example.com/a')).toEqual(['1.0.0'])
  expect(versions.get('go:example.com/b')).toEqual(['2.0.0'])
})

test('broken files are named and passed over', () => {
  write('package-lock.json', '{')
  write('yarn.lock', '# yarn lockfile v1\n<<<<<<< ours\nfastify@^5:\n  version "5.0.0"\n')
  write('go.mod', 'module a\0')
  write('Cargo.lock', '')
  truncateSync(join(root, 'Cargo.lock'), 64 * 1024 * 1024 + 1)
  mkdirSync(join(root, 'uv.lock'))
  symlinkSync(join(root, 'nowhere'), join(root, 'poetry.lock'))
  write('.nvmrc', '24')
  expect(readLocked(root)).toEqual({
    versions: new Map([['runtime:node', ['24']]]),
    files: ['.nvmrc'],
    passedOver: [
      { file: 'package-lock.json', reason: 'is not JSON' },
      { file: 'yarn.lock', reason: 'has unresolved merge conflicts' },
      { file: 'Cargo.lock', reason: 'is larger than 64 MB' },
      { file: 'go.mod', reason: 'is not a text file' },
    ],
  })
})

test('an empty folder says nothing', () =>
  expect(readLocked(root)).toEqual({ versions: new Map(), files: [], passedOver: [] }))
