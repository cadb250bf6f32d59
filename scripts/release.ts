/**
 * Makes a release in this checkout: npm run release -- 0.2.0
 * It sets the version everywhere, dates the changelog, keeps an upgrade fixture, commits and tags, and commits the
 * built plugin to the branch `plugin`. It pushes nothing.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { datedChangelog, notesOf, unreleasedNotes } from './changelog.ts'

const ROOT = join(import.meta.dirname, '..')
const CHANGELOG = 'CHANGELOG.md'
const VERSIONED = [
  'package.json',
  'package-lock.json',
  'packages/cli/package.json',
  'plugins/claude-code/.claude-plugin/plugin.json',
  'plugins/gemini/gemini-extension.json',
]
/** A marketplace reads the plugin from here. */
const PLUGIN_BRANCH = 'plugin'
const PLUGIN_PARTS = ['.claude-plugin', 'plugins/claude-code', 'LICENSE']
const VERSION_PATTERN = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/

class Refused extends Error {}

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const write = (file: string, text: string) => writeFileSync(join(ROOT, file), text)
const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
const versionNow = (): string => JSON.parse(read('package.json')).version

const partsOf = (version: string) => version.split('.').map(Number)
function isNewer(next: string, now: string): boolean {
  const [a, b] = [partsOf(next), partsOf(now)]
  const differs = a.findIndex((part, index) => part !== b[index])
  return differs !== -1 && (a[differs] ?? 0) > (b[differs] ?? 0)
}

function refuseUnlessReady(version: string): void {
  const now = versionNow()
  if (!VERSION_PATTERN.test(version))
    throw new Refused(`"${version}" is not a version. Write it as 0.2.0: npm run release -- 0.2.0`)
  if (!isNewer(version, now)) throw new Refused(`${version} is not newer than ${now}, the present version.`)
  if (git('status', '--porcelain') !== '')
    throw new Refused('There are changes that are not committed. Commit or stash them first.')
  if (git('tag', '--list', `v${version}`) !== '') throw new Refused(`The tag v${version} exists already.`)
  if (unreleasedNotes(read(CHANGELOG)) === '')
    throw new Refused(`${CHANGELOG} says nothing under "Unreleased". Write down what changed first.`)
}

/** Exactly the lines that name our own version; everything else in the files keeps its form. */
function setVersion(version: string): void {
  const now = versionNow()
  for (const file of VERSIONED) {
    const content = JSON.parse(read(file))
    const ours = content.packages ? 2 : 1
    let count = 0
    const text = read(file).replaceAll(`"version": "${now}"`, (line) =>
      ++count <= ours ? `"version": "${version}"` : line,
    )
    write(file, text)
    const after = JSON.parse(text)
    if (after.version !== version || (after.packages && after.packages[''].version !== version))
      throw new Error(`${file} does not name the version where it was expected.`)
  }
}

function makeFixture(version: string): void {
  execFileSync(process.execPath, ['test/upgrades/make-fixture.ts'], { cwd: ROOT, stdio: 'inherit' })
  if (!existsSync(join(ROOT, 'test', 'upgrades', version, 'expected.json')))
    throw new Error(`No upgrade fixture was made for ${version}.`)
}

/** Builds the plugin and commits it with its programs, in an index of its own; returns the commit, which no branch has yet. */
function commitPlugin(version: string): string {
  execFileSync(process.execPath, ['scripts/plugin.ts'], { cwd: ROOT, stdio: 'inherit' })
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-plugin-'))
  const env = { ...process.env, GIT_INDEX_FILE: join(folder, 'index') }
  const inIndex = (...args: string[]) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', env }).trim()
  try {
    inIndex('add', '--force', ...PLUGIN_PARTS)
    const places = [`refs/heads/${PLUGIN_BRANCH}`, `refs/remotes/origin/${PLUGIN_BRANCH}`]
    const last = git('for-each-ref', '--count=1', '--format=%(objectname)', ...places)
    const parent = last === '' ? [] : ['-p', last]
    return git('commit-tree', inIndex('write-tree'), ...parent, '-m', `Plugin ${version}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function tag(version: string): void {
  const notes = notesOf(read(CHANGELOG), version) ?? ''
  // Without --cleanup, git would take lines that begin with # for comments. A system takes no argument of 128 KiB.
  execFileSync('git', ['tag', '--annotate', `v${version}`, '--cleanup=verbatim', '--file', '-'], {
    cwd: ROOT,
    input: `${version}\n\n${notes}\n`,
  })
}

function release(version: string): void {
  refuseUnlessReady(version)
  const before = git('rev-parse', 'HEAD')
  try {
    setVersion(version)
    write(CHANGELOG, datedChangelog(read(CHANGELOG), version, new Date().toISOString().slice(0, 10)))
    makeFixture(version)
    git('add', '--all')
    git('commit', '--quiet', '--message', `Release ${version}`)
    const plugin = commitPlugin(version)
    tag(version)
    git('update-ref', `refs/heads/${PLUGIN_BRANCH}`, plugin)
  } catch (error) {
    // The checkout was clean, so what is there now is ours to take back.
    rmSync(join(ROOT, 'test', 'upgrades', version), { recursive: true, force: true })
    git('reset', '--quiet', '--hard', before)
    throw error
  }
}

const [version = '', ...more] = process.argv.slice(2)
try {
  if (more.length > 0) throw new Refused('Give one version: npm run release -- 0.2.0')
  release(version)
  process.stdout.write(`Released ${version}. Now: git push --follow-tags origin HEAD ${PLUGIN_BRANCH}\n`)
} catch (error) {
  if (!(error instanceof Refused)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
