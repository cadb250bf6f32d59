import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { learnInBackground, wantsLearning } from '../../src/doors/cli/hooks/background.ts'
import { apiKeyOf, type LiveVault, liveVault, type Person, registerPerson } from '../support/live.ts'
import { type CommandResult, runKvault } from '../support/process.ts'

let vault: LiveVault
let person: Person
let key: string
let home: string

const SECRET = ['ghp', 'Z9y8X7w6V5u4Z9y8X7w6V5u4Z9y8X7w6V5u4'].join('_')
const WHY = 'The storage counts requests per customer, so the uploader waits between its attempts.'

beforeAll(async () => {
  vault = await liveVault({ RATE_LIMIT: 'off' })
  person = await registerPerson(vault, 'learner@example.com')
  key = await apiKeyOf(person)
  home = realpathSync(mkdtempSync(join(tmpdir(), 'knowledge-vault-learn-')))
})
afterAll(async () => {
  await vault.close()
  rmSync(home, { recursive: true, force: true })
})

const git = (folder: string, ...args: string[]): string =>
  execFileSync(
    'git',
    [
      '-C',
      folder,
      '-c',
      'user.name=Ada',
      '-c',
      'user.email=ada@example.com',
      '-c',
      'commit.gpgsign=false',
      ...args,
    ],
    { stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, HOME: home } },
  )
    .toString()
    .trim()

let made = 0

function repository(): { folder: string; project: string } {
  made += 1
  const folder = join(home, `repository-${made}`)
  mkdirSync(folder)
  git(folder, 'init', '-q', '-b', 'main')
  const project = `https://github.com/example/learn-${made}`
  git(folder, 'remote', 'add', 'origin', project)
  return { folder, project }
}

function commit(folder: string, message: string, files: Record<string, string> = {}): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  git(folder, 'add', '-A')
  git(folder, 'commit', '-q', '--allow-empty', '-m', message)
  return git(folder, 'rev-parse', 'HEAD')
}

const learn = (folder: string, ...args: string[]): Promise<CommandResult> =>
  runKvault(
    ['learn', ...args],
    { HOME: home, KVAULT_HOME: join(home, 'settings'), KVAULT_URL: vault.url, KVAULT_API_KEY: key },
    { cwd: folder },
  )

async function known(project: string) {
  const query = new URLSearchParams({ project_key: project, limit: '100' })
  return (await person.get(`/api/v1/project-context/commits?${query}`)).body
}

const refs = (list: { items: { ref: string }[] }) => list.items.map(({ ref }) => ref)

test('commits that explain are learned, with their files; others and plain merges are not', async () => {
  const { folder, project } = repository()
  const first = commit(folder, `Wait between attempts\n\n${WHY}\n\nReviewed-by: Bo <bo@example.com>`, {
    'src/upload.ts': '1',
    'docs/decisions/0001-uploads.md': '# Uploads\n\nAt most five attempts.\n',
    'CHANGELOG.md': '# Changelog\n\n## 1.1\n\n- Uploads wait.\n\n## 1.0\n\n- First.\n',
  })
  commit(folder, 'Tidy up', { 'src/upload.ts': '2' })
  const reference = commit(folder, 'Fix the timeout (#12)', { 'src/timeout.ts': '1' })
  git(folder, 'checkout', '-q', '-b', 'topic', first)
  const onTopic = commit(folder, `Breaks the old clients\n\nBREAKING CHANGE: v1 is gone`, { 'src/v1.ts': '' })
  git(folder, 'checkout', '-q', 'main')
  git(folder, 'merge', '-q', '--no-edit', 'topic')
  const done = await learn(folder)
  expect(done, done.stderr).toMatchObject({ code: 0 })
  const list = await known(project)
  const commits = list.items.filter(({ kind }: { kind: string }) => kind === 'commit')
  expect(new Set(refs({ items: commits }))).toEqual(new Set([first, reference, onTopic]))
  expect(commits.find(({ ref }: { ref: string }) => ref === first)).toMatchObject({
    subject: 'Wait between attempts',
    message: `${WHY}\n\nReviewed-by: Bo`,
    files: ['CHANGELOG.md', 'docs/decisions/0001-uploads.md', 'src/upload.ts'],
  })
  const documents = list.items.filter(({ kind }: { kind: string }) => kind === 'document')
  expect(documents.map(({ subject }: { subject: string }) => subject).sort()).toEqual([
    'CHANGELOG.md: 1.0',
    'CHANGELOG.md: 1.1',
    'Uploads',
  ])
  expect((await learn(folder)).stdout).toContain('Nothing new')
})

test('only new commits are sent, and rewritten history replaces what is gone', async () => {
  const { folder, project } = repository()
  const first = commit(folder, `One\n\n${WHY}`)
  await learn(folder)
  const second = commit(folder, `Two\n\n${WHY}`)
  expect((await learn(folder)).stdout).toContain('1 sent')
  expect(new Set(refs(await known(project)))).toEqual(new Set([first, second]))
  git(folder, 'reset', '-q', '--hard', first)
  git(folder, 'reflog', 'expire', '--expire=now', '--all')
  const third = commit(folder, `Three\n\n${WHY}`)
  await learn(folder)
  expect(new Set(refs(await known(project)))).toEqual(new Set([first, third]))
  git(folder, 'branch', 'kept')
  git(folder, 'reset', '-q', '--hard', first)
  const other = commit(folder, `On another branch\n\n${WHY}`)
  await learn(folder)
  expect(new Set(refs(await known(project)))).toEqual(new Set([first, third, other]))
})

test('a shallow clone drops nothing, a repository without commits is no error, another folder is', async () => {
  const { folder, project } = repository()
  const first = commit(folder, `One\n\n${WHY}`)
  const second = commit(folder, `Two\n\n${WHY}`)
  await learn(folder)
  const shallow = join(home, 'shallow')
  commit(folder, `Three\n\n${WHY}`)
  git(home, 'clone', '-q', '--depth', '1', `file://${folder}`, shallow)
  git(shallow, 'remote', 'set-url', 'origin', project)
  await learn(shallow)
  const list = refs(await known(project))
  expect(list).toHaveLength(3)
  expect(list).toEqual(expect.arrayContaining([first, second]))
  const empty = await learn(repository().folder)
  expect(empty).toMatchObject({ code: 0 })
  expect(empty.stdout).toContain('Nothing new')
  const nowhere = await learn(home)
  expect(nowhere.code).toBe(2)
  expect(nowhere.stderr).toContain('in no git repository')
})

test('secrets are replaced before anything is sent, and what was learned can be deleted as a whole', async () => {
  const { folder, project } = repository()
  commit(folder, `Rotate the token\n\nThe old one was ${SECRET}, which leaked with the logs.`)
  const done = await learn(folder)
  expect(done.stderr).toContain('Secrets were replaced')
  expect(JSON.stringify(await known(project))).not.toContain(SECRET)
  expect((await learn(folder, '--dry-run')).stdout).toContain('Rotate the token')
  expect((await learn(folder, '--forget')).code).not.toBe(0)
  expect((await learn(folder, '--forget', '--yes')).stdout).toContain('Deleted')
  expect((await known(project)).total).toBe(0)
})

test('merged pull requests come from the JSON of the forge; a wrong file has a clear answer', async () => {
  const { folder, project } = repository()
  commit(folder, `One\n\n${WHY}`)
  const file = join(home, 'pulls.json')
  const pull = { number: 7, title: 'Uploads wait', body: WHY, files: [{ path: 'src/upload.ts' }] }
  const list = [
    { ...pull, mergedAt: '2025-02-03T04:05:06Z' },
    { ...pull, number: 8, mergedAt: null },
  ]
  writeFileSync(file, JSON.stringify(list))
  await learn(folder, '--pulls', file)
  const [found, ...others] = (await known(project)).items.filter(
    ({ kind }: { kind: string }) => kind === 'pull_request',
  )
  expect(others).toEqual([])
  expect(found).toMatchObject({
    ref: 'pull/7',
    subject: 'Uploads wait',
    message: WHY,
    files: ['src/upload.ts'],
  })
  writeFileSync(file, '{}')
  expect((await learn(folder, '--pulls', file)).stderr).toContain('no list of pull requests')
})

test('hundreds of commits and huge messages go in one pass', async () => {
  const { folder, project } = repository()
  const stream = Array.from({ length: 450 }, (_, n) => {
    const message = Buffer.from(`Change ${n}\n\n${WHY} ${n === 3 ? 'long '.repeat(40_000) : ''}\n`)
    return `commit refs/heads/main\ncommitter Ada <ada@example.com> ${1_700_000_000 + n} +0000\ndata ${message.length}\n${message}\n`
  })
  execFileSync('git', ['-C', folder, 'fast-import', '--quiet'], { input: stream.join('') })
  const done = await learn(folder, '--json')
  expect(JSON.parse(done.stdout)).toMatchObject({ sent: 450, total: 450, waiting: 0, problem: null })
  expect((await known(project)).head).toBe(git(folder, 'rev-parse', 'main'))
})

test('connect asks for it at a terminal, and never reads anything on its own', () => {
  vi.stubEnv('KVAULT_HOME', join(home, 'never-used'))
  try {
    expect(wantsLearning({}, true)).toBe(true)
    for (const options of [{ yes: true }, { hooks: false }, { learn: false }])
      expect(wantsLearning(options, true), JSON.stringify(options)).toBe(false)
    expect(wantsLearning({}, false)).toBe(false)
    expect(wantsLearning({ learn: true, yes: true }, false)).toBe(true)
  } finally {
    vi.unstubAllEnvs()
  }
})

test('in the background only after the person has agreed, and never where a project switches hooks off', async () => {
  const { folder, project } = repository()
  commit(folder, `One\n\n${WHY}`)
  vi.stubEnv('KVAULT_HOME', join(home, 'settings'))
  vi.stubEnv('KVAULT_URL', vault.url)
  vi.stubEnv('KVAULT_API_KEY', key)
  try {
    learnInBackground(folder)
    expect((await learn(folder, '--background', 'on')).stdout).toContain('Each session learns')
    expect((await learn(folder, '--background', 'maybe')).code).toBe(2)
    writeFileSync(join(folder, '.kvault.json'), '{"hooks": false}')
    learnInBackground(folder)
    rmSync(join(folder, '.kvault.json'))
    expect((await known(project)).total).toBe(0)
    learnInBackground(folder)
    await vi.waitFor(async () => expect((await known(project)).total).toBe(1), {
      timeout: 30_000,
      interval: 200,
    })
    expect((await learn(folder, '--background', 'off')).stdout).toContain('No session learns')
  } finally {
    vi.unstubAllEnvs()
  }
}, 60_000)
