import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { datedChangelog, notesOf, unreleasedNotes } from '../../scripts/changelog.ts'
import { repository } from '../support/process.ts'

const CHANGELOG = `# Changelog

## Unreleased

- One.
- Two.

## 0.1.0 (2026-01-02)

- Zero.
`

test('the notes of a release are what stood under "Unreleased"', () => {
  const dated = datedChangelog(CHANGELOG, '0.2.0', '2026-03-04')
  expect(unreleasedNotes(CHANGELOG)).toBe('- One.\n- Two.')
  expect(unreleasedNotes(dated)).toBe('')
  expect(notesOf(dated, '0.2.0')).toBe('- One.\n- Two.')
  expect(notesOf(dated, '0.1.0')).toBe('- Zero.')
  expect(notesOf(dated, '0.1')).toBeUndefined()
})

test('README names no file of one version: a release leaves it as it is', () => {
  expect(readFileSync(join(repository, 'README.md'), 'utf8')).not.toMatch(/\d+\.\d+\.\d+\.tgz/)
})

let clone: string
const NEXT = '99.1.0'

const IDENTITY = { name: 'Release Test', email: 'release@example.com' }
const git = (...args: string[]) =>
  execFileSync('git', ['-c', `user.name=${IDENTITY.name}`, '-c', `user.email=${IDENTITY.email}`, ...args], {
    cwd: clone,
    encoding: 'utf8',
  }).trim()
const read = (file: string) => readFileSync(join(clone, file), 'utf8')
const versionIn = (file: string) => JSON.parse(read(file)).version

/** Runs the script as `npm run release` does, without the machine's own settings of git. */
function release(...args: string[]) {
  const env = {
    PATH: process.env.PATH,
    HOME: clone,
    // The script is compiled once for all its starts.
    NODE_COMPILE_CACHE: join(clone, '.git', 'compiled'),
    GIT_AUTHOR_NAME: IDENTITY.name,
    GIT_AUTHOR_EMAIL: IDENTITY.email,
    GIT_COMMITTER_NAME: IDENTITY.name,
    GIT_COMMITTER_EMAIL: IDENTITY.email,
  }
  return spawnSync(process.execPath, ['scripts/release.ts', ...args], { cwd: clone, env, encoding: 'utf8' })
}

/** The files as they are now, in a repository of their own, so that what is not committed yet is tested too. */
beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), 'knowledge-vault-release-'))
  const left = new Set(['.git', 'node_modules', 'data', 'test-results', 'coverage', 'web', 'bench', '.env'])
  cpSync(repository, clone, {
    recursive: true,
    filter: (path) => {
      const [first = '', ...rest] = relative(repository, path).split('/')
      return !left.has(first) && !rest.includes('node_modules')
    },
  })
  symlinkSync(join(repository, 'node_modules'), join(clone, 'node_modules'))
  git('init', '--quiet', '--initial-branch', 'main')
  writeFileSync(join(clone, '.git', 'info', 'exclude'), 'node_modules\n')
  const changelog = read('CHANGELOG.md').replace(/^## Unreleased\s*$/m, '## Unreleased\n\n- # One change.\n')
  writeFileSync(join(clone, 'CHANGELOG.md'), changelog)
  git('add', '--all')
  git('commit', '--quiet', '--message', 'Everything')
})
afterAll(() => rmSync(clone, { recursive: true, force: true }))

test.each([
  [[], /is not a version/],
  [['next'], /is not a version/],
  [['1.2'], /is not a version/],
  [['0.0.1'], /is not newer than/],
  [[NEXT, 'now'], /Give one version/],
])('%j is refused and changes nothing', (args, reason) => {
  const refused = release(...args)
  expect(refused).toMatchObject({ status: 2, stderr: expect.stringMatching(reason) })
  expect(git('status', '--porcelain')).toBe('')
})

test('changes that are not committed are never part of a release', () => {
  appendFileSync(join(clone, 'README.md'), 'half a sentence')
  expect(release(NEXT)).toMatchObject({ status: 2, stderr: expect.stringContaining('not committed') })
  git('checkout', '--quiet', 'README.md')
})

test('a release that fails half-way leaves the checkout as it was', () => {
  const script = 'test/upgrades/make-fixture.ts'
  writeFileSync(join(clone, script), 'throw new Error("no fixture today")\n')
  git('commit', '--quiet', '--all', '--message', 'A broken fixture')
  expect(release(NEXT).status).toBe(1)
  expect(git('status', '--porcelain')).toBe('')
  expect(git('tag')).toBe('')
  expect(versionIn('package.json')).not.toBe(NEXT)
  git('revert', '--no-edit', 'HEAD')
})

test('a release sets the versions, dates the changelog, keeps a fixture, commits and tags', () => {
  const made = release(NEXT)
  expect(made.stderr).toBe('')
  expect(made.status).toBe(0)
  const plugins = ['claude-code/.claude-plugin/plugin.json', 'gemini/gemini-extension.json']
  for (const file of ['package.json', 'package-lock.json', ...plugins.map((name) => `plugins/${name}`)])
    expect(versionIn(file), file).toBe(NEXT)
  expect(JSON.parse(read('package-lock.json')).packages[''].version).toBe(NEXT)
  const changed = git('diff', 'HEAD~1', '--numstat', '--', 'package.json', 'package-lock.json')
  expect(changed.split('\n').map((line) => line.split('\t').slice(0, 2))).toEqual([
    ['2', '2'],
    ['1', '1'],
  ])

  expect(read('CHANGELOG.md')).toMatch(/^## Unreleased\n\n## 99\.1\.0 \(\d{4}-\d\d-\d\d\)\n/m)
  for (const file of ['expected.json', 'vault.db.gz', 'vault.kvbackup'])
    expect(existsSync(join(clone, 'test', 'upgrades', NEXT, file)), file).toBe(true)

  expect(git('status', '--porcelain')).toBe('')
  expect(git('log', '-1', '--format=%s')).toBe(`Release ${NEXT}`)
  expect(git('cat-file', '-t', `v${NEXT}`)).toBe('tag')
  expect(git('tag', '--list', '--format=%(contents)', `v${NEXT}`)).toContain('- # One change.')
  const notes = execFileSync(process.execPath, ['scripts/release-notes.ts', NEXT], {
    cwd: clone,
    encoding: 'utf8',
  })
  expect(notes).toContain('- # One change.')
})

test('the plugin that a marketplace installs has a branch of its own, with its programs', () => {
  const files = git('ls-tree', '-r', '--name-only', 'plugin').split('\n')
  expect(files).toEqual(expect.arrayContaining(['.claude-plugin/marketplace.json', 'LICENSE']))
  for (const name of ['hook.mjs', 'mcp.mjs', 'README.md', '.mcp.json', 'hooks/hooks.json'])
    expect(files).toContain(`plugins/claude-code/${name}`)
  expect(files.filter((name) => !/^(\.claude-plugin|plugins\/claude-code)\/|^LICENSE$/.test(name))).toEqual(
    [],
  )
  expect(JSON.parse(git('show', 'plugin:plugins/claude-code/.claude-plugin/plugin.json')).version).toBe(NEXT)
  expect(git('ls-files', 'plugins/claude-code/*.mjs')).toBe('')
})

test('the same version cannot be released again, and neither can nothing', () => {
  expect(release(NEXT)).toMatchObject({ status: 2, stderr: expect.stringContaining('is not newer than') })
  expect(release('99.2.0')).toMatchObject({ status: 2, stderr: expect.stringContaining('says nothing') })
})
