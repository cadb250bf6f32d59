import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { allowProject, findProject, namedIn } from './hooks/project-permission.ts'
import { keepingAdvice, ownKey, readProjectFiles, remoteKey } from './project-name.ts'

let base: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'knowledge-vault-names-'))
  vi.stubEnv('KVAULT_HOME', join(base, 'home'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(base, { recursive: true, force: true })
})

function folder(...parts: string[]): string {
  const path = join(base, ...parts)
  mkdirSync(path, { recursive: true })
  return path
}
/** The name of a folder that no `.kvault.json` names. */
const projectKeyOf = (path: string): string => remoteKey(path) ?? ownKey(path)
const nobody = { url: 'http://127.0.0.1:1' }
const git = (path: string, ...args: string[]) =>
  execFileSync('git', ['-C', path, ...args], { stdio: 'ignore' })

test('a checkout goes by its remote', () => {
  const checkout = folder('checkout')
  git(checkout, 'init')
  git(checkout, 'remote', 'add', 'origin', 'https://github.com/org/repo.git')
  expect(projectKeyOf(checkout)).toBe('https://github.com/org/repo.git')
  // As inside a hook of another repository.
  const other = folder('other')
  git(other, 'init')
  vi.stubEnv('GIT_DIR', join(other, '.git'))
  vi.stubEnv('GIT_WORK_TREE', other)
  expect(projectKeyOf(checkout)).toBe('https://github.com/org/repo.git')
})

test('a checkout whose only remote is not called origin goes by it; of several without origin none counts', () => {
  const checkout = folder('checkout')
  git(checkout, 'init')
  git(checkout, 'remote', 'add', 'upstream', 'git@github.com:org/repo.git')
  expect(projectKeyOf(checkout)).toBe('git@github.com:org/repo.git')
  expect(keepingAdvice(checkout)).toBeUndefined()
  git(checkout, 'remote', 'add', 'fork', 'git@github.com:me/repo.git')
  expect(projectKeyOf(checkout)).toMatch(/^folder-/)
  git(checkout, 'remote', 'rename', 'fork', 'origin')
  expect(projectKeyOf(checkout)).toBe('git@github.com:me/repo.git')
})

test('no password and no token of a remote is in the name', () => {
  const checkout = folder('checkout')
  git(checkout, 'init')
  git(checkout, 'remote', 'add', 'origin', 'x')
  const password = ['p', 'w', '1'].join('@')
  for (const [remote, name] of [
    [`https://bob:${password}@host.example/org/repo.git`, 'https://host.example/org/repo.git'],
    [`ssh://bob:${password}@host.example:22/org/repo`, 'ssh://host.example:22/org/repo'],
    [`git+https://${password}@host.example/org/repo`, 'git+https://host.example/org/repo'],
    [`https://host.example/org/repo?token=${password}`, 'https://host.example/org/repo'],
    [`https://host.example/org/repo#${password}`, 'https://host.example/org/repo'],
    ['git@github.com:org/repo.git', 'git@github.com:org/repo.git'],
    ['/srv/c#/repo', '/srv/c#/repo'],
    // Elsewhere the same words name another repository.
    ['../repo.git', join(realpathSync(base), 'repo.git')],
  ] as const) {
    git(checkout, 'remote', 'set-url', 'origin', remote)
    expect(projectKeyOf(checkout), remote).toBe(name)
  }
})

test('a folder without a remote has a random name that stays; another of the same name has another', () => {
  const one = folder('a', 'shop')
  const name = projectKeyOf(one)
  expect(name).toMatch(/^folder-[0-9a-f-]{36}$/)
  expect(projectKeyOf(one)).toBe(name)
  expect(projectKeyOf(folder('b', 'shop'))).not.toBe(name)
})

test('a folder that only its path names says how its memory survives a move, once there is some', async () => {
  const shop = folder('shop')
  expect(keepingAdvice(shop)).toBeUndefined()
  const name = projectKeyOf(shop)
  const [, text = '', file = ''] =
    /write (.*) into (.*), and after it run kvault allow-project there$/.exec(keepingAdvice(shop) ?? '') ?? []
  expect(keepingAdvice(folder('shop', 'below'))).toBeUndefined()
  writeFileSync(file, text)
  expect(keepingAdvice(shop)).toBeUndefined()
  expect((await findProject(shop, nobody)).key).toBe(name)
  const store = join(base, 'store')
  renameSync(shop, store)
  allowProject(namedIn(readProjectFiles(store)) as NonNullable<ReturnType<typeof namedIn>>)
  expect((await findProject(store, nobody)).key).toBe(name)
})

test('all folders of a checkout without a remote are one project', () => {
  const checkout = folder('checkout')
  git(checkout, 'init')
  expect(projectKeyOf(folder('checkout', 'src', 'deep'))).toBe(projectKeyOf(checkout))
  const person = ['-c', 'user.name=n', '-c', 'user.email=n@example.com']
  git(checkout, ...person, 'commit', '--allow-empty', '-m', 'first')
  git(checkout, 'worktree', 'add', join(base, 'beside'))
  expect(projectKeyOf(folder('beside', 'src'))).toBe(projectKeyOf(checkout))
})

test('where no name can be kept, the way out is said', () => {
  writeFileSync(join(base, 'home'), 'a file in the place of the folder')
  expect(() => projectKeyOf(folder('x'))).toThrow(/project_key.*\.kvault\.json/)
})
