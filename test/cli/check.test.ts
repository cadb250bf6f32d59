import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { goodCard } from '../support/cards.ts'
import { apiKeyOf, type LiveVault, liveVault, type Person, registerPerson } from '../support/live.ts'
import { type CommandResult, runKvault } from '../support/process.ts'

let vault: LiveVault
let author: Person
let member: Person
let memberKey: string
let folder: string
let workspaceId: string

beforeAll(async () => {
  vault = await liveVault({ RATE_LIMIT: 'off' })
  ;[author, member] = [
    await registerPerson(vault, 'author@example.com'),
    await registerPerson(vault, 'member@example.com'),
  ]
  memberKey = await apiKeyOf(member)
  workspaceId = (await author.post('/api/v1/workspaces', { name: 'Team' })).body.workspace_id
  const added = await author.post(`/api/v1/workspaces/${workspaceId}/members`, {
    user_id: member.userId,
    role: 'editor',
  })
  expect(added.status).toBe(200)
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'knowledge-vault-check-')))
})
afterAll(async () => {
  await vault.close()
  rmSync(folder, { recursive: true, force: true })
})

type Options = { cwd?: string; input?: string; env?: Record<string, string> }

/** As the member, who sees the shared cards of the author; nothing of this machine's git settings. */
function kvault(
  args: string[],
  { cwd = folder, input = '', env = {} }: Options = {},
): Promise<CommandResult> {
  const own = { KVAULT_URL: vault.url, KVAULT_API_KEY: memberKey, GIT_CEILING_DIRECTORIES: tmpdir() }
  return runKvault(args, { HOME: folder, ...own, ...env }, { cwd, input })
}

/** A card of the author that the team reads. */
async function shared(title: string, cites: string[]): Promise<string> {
  const card = goodCard(undefined, { title, workspace_id: workspaceId })
  const { card_id } = (await author.post('/api/v1/cards', card)).body
  expect((await author.post(`/api/v1/cards/${card_id}/share`)).status).toBe(200)
  expect((await author.put(`/api/v1/cards/${card_id}/cites`, { cites })).status).toBe(200)
  return card_id
}

const lockOf = (version: string) =>
  JSON.stringify({ lockfileVersion: 3, packages: { 'node_modules/fastify': { version } } })

/** A folder with a lock file, not in a git repository. */
function project(name: string, files: Record<string, string>): string {
  const made = join(folder, name)
  mkdirSync(made, { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(made, file), text)
  return made
}

describe('cards of a team against a lock file', () => {
  let four: string
  let five: string
  let cwd: string

  beforeAll(async () => {
    four = await shared('Hooks of fastify 4', ['npm:fastify@^4', 'https://example.com/hooks'])
    five = await shared('Hooks of fastify 5', ['npm:fastify@5.8.5'])
    await shared('Something of Django', ['pypi:django@>=5'])
    cwd = project('app', { 'package-lock.json': lockOf('5.8.5'), '.nvmrc': '24.1.0' })
  })

  test('cites that no longer fit are named, and the exit code is 1', async () => {
    const { code, stdout, stderr } = await kvault(['check'], { cwd })
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(stdout).toBe(`2 cards cite something that is here (package-lock.json, .nvmrc).

No longer fit: 1
  ${four}  Hooks of fastify 4
    npm:fastify@^4: 5.8.5 is here

Fit exactly: 1
  ${five}  Hooks of fastify 5
    npm:fastify@5.8.5: 5.8.5 is here

Likely to fit: 0. Not decided: 0. About other things: 1.
`)
  })

  test('search says of each result whether it fits the lock file here, unless told not to', async () => {
    const fitsOf = async (...more: string[]) => {
      const { stdout } = await kvault(
        ['search', 'hooks', 'fastify', '--scope', 'workspace', '--json', ...more],
        {
          cwd,
        },
      )
      const { results } = JSON.parse(stdout) as { results: { card_id: string; fits?: string }[] }
      return [four, five].map((id) => results.find(({ card_id }) => card_id === id)?.fits)
    }
    expect(await fitsOf()).toEqual(['older', 'exact'])
    expect(await fitsOf('--no-environment')).toEqual([undefined, undefined])
  })

  test('as JSON, for a script', async () => {
    const { code, stdout } = await kvault(['check', 'app', '--json'])
    expect(code).toBe(1)
    const report = JSON.parse(stdout)
    expect(report).toMatchObject({
      folder: cwd,
      read: ['package-lock.json', '.nvmrc'],
      passed_over: [],
      counts: { older: 1, exact: 1, likely: 0, unknown: 0, elsewhere: 1, with_verdict: 0 },
    })
    expect(report.cards.find((card: { card_id: string }) => card.card_id === four)).toEqual({
      card_id: four,
      title: 'Hooks of fastify 4',
      workspace_id: workspaceId,
      fits: 'older',
      cites: [{ cite: 'npm:fastify@^4', fits: 'older', why: '5.8.5 is here' }],
      verdicts: [],
      trust: null,
    })
  })

  test('a verdict from that folder has the versions of its lock file, and check shows it', async () => {
    const said = await kvault(
      ['verify-card', five, '--worked', '--note', 'at once', '--evidence-file', '-', '--json'],
      { cwd, input: 'exit code 0' },
    )
    expect({ code: said.code, stderr: said.stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(said.stdout)).toMatchObject({
      outcome: 'worked',
      environment: { fastify: '5.8.5' },
      note: 'at once',
    })
    const [kept] = (await author.get(`/api/v1/cards/${five}/verdicts`)).body.items
    expect(kept).toMatchObject({ environment: { fastify: '5.8.5' }, evidence: 'exit code 0' })
    const { stdout } = await kvault(['check'], { cwd })
    expect(stdout).toContain(
      `With a verdict for these versions: 1\n  ${five}  Hooks of fastify 5\n    worked for 1 on fastify 5\n`,
    )
  })

  test('a card that worked with these versions fits, whatever it says of itself', async () => {
    const said = await kvault(['verify-card', four, '--worked', '--env', 'fastify=5.1', '--env', 'node=24'])
    expect(said.code).toBe(0)
    expect(said.stdout).toContain(
      `Said worked of ${four}  Hooks of fastify 4\nEnvironment: fastify 5.1, node 24\n`,
    )
    expect((await kvault(['check'], { cwd })).code).toBe(0)
    expect(
      (await kvault(['verify-card', four, '--failed', '--env', 'fastify=5.1', '--env', 'node=24'])).code,
    ).toBe(0)
    const { code, stdout } = await kvault(['check'], { cwd })
    expect(code).toBe(1)
    expect(stdout).toContain('failed for 1 on fastify 5')
  })

  test('a cite that fits by its range gives 0; a newer card decides nothing', async () => {
    const likely = await kvault(['check', project('likely', { 'package-lock.json': lockOf('4.29.0') })])
    expect(likely.code).toBe(0)
    expect(likely.stdout).toContain('Likely to fit: 1. Not decided: 1. About other things: 1.')
  })

  test('a broken lock file is one line, and the others are read', async () => {
    const broken = project('broken', { 'package-lock.json': '{', '.nvmrc': '24' })
    const outcome = await kvault(['check'], { cwd: broken })
    expect(outcome.code).toBe(0)
    expect(outcome.stderr).toBe('package-lock.json is not JSON. Passed over.\n')
  })

  test.each([
    ['a folder without lock files', ['check', '{empty}'], {}, 'no readable lock file'],
    ['no such folder', ['check', 'nowhere'], {}, 'is not a folder'],
    ['no key', ['check', 'app'], { KVAULT_API_KEY: '' }, 'kvault login'],
    ['a wrong key', ['check', 'app'], { KVAULT_API_KEY: 'kv_wrong' }, ''],
    ['no vault', ['check', 'app'], { KVAULT_URL: 'http://127.0.0.1:9' }, 'cannot be reached'],
    ['an unknown option', ['check', '--nothing'], {}, '--nothing'],
  ])('it could not check: %s is 2', async (_, args, env, said) => {
    project('empty', {})
    const outcome = await kvault(
      args.map((arg) => arg.replace('{empty}', 'empty')),
      { env },
    )
    expect(outcome).toMatchObject({ code: 2, stdout: '' })
    expect(outcome.stderr).toContain(said)
    expect(outcome.stderr).not.toContain('    at ')
  })

  test('all pages are read', async () => {
    for (let i = 0; i < 101; i++)
      expect(
        (await member.post('/api/v1/cards', goodCard(undefined, { environment: { node: '24' } }))).status,
      ).toBe(201)
    const { stdout } = await kvault(['check', '--json'], { cwd })
    expect(JSON.parse(stdout).counts.likely).toBe(101)
  })

  test('a card is reported with a kind, and a report without one says which there are', async () => {
    const without = await kvault(['report', four])
    expect([without.code, without.stderr.trim()]).toEqual([
      2,
      expect.stringContaining('--kind is one of dangerous'),
    ])
    const alone = await kvault(['report', four, '--kind', 'wrong'])
    expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining('nobody but the owner')])
    const second = await registerPerson(vault, 'second-admin@example.com')
    await author.post(`/api/v1/workspaces/${workspaceId}/members`, { user_id: second.userId, role: 'admin' })
    const said = await kvault(['report', four, '--kind', 'wrong', '--note', 'It never worked.'])
    expect([said.code, said.stdout.trim()]).toEqual([
      0,
      `Reported ${four}. Moderators read it without your name.`,
    ])
    const again = await kvault(['report', four, '--kind', 'spam', '--json'])
    expect(JSON.parse(again.stdout)).toEqual({ card_id: four, kind: 'spam', replaced: true })
    const none = await kvault(['report', crypto.randomUUID(), '--kind', 'spam'])
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('not found')])
  })

  test('a verdict that cannot be given says why', async () => {
    const wrong = async (...args: string[]) => {
      const { code, stderr } = await kvault(['verify-card', ...args])
      return [code, stderr.trim()]
    }
    writeFileSync(join(folder, 'long.log'), 'x'.repeat(20_001))
    expect(await wrong(five)).toEqual([2, 'Give one of --worked, --failed and --stale.'])
    expect(await wrong(five, '--worked', '--stale')).toEqual([
      2,
      'Give one of --worked, --failed and --stale.',
    ])
    expect(await wrong(five, '--worked', '--env', 'node')).toEqual([2, expect.stringContaining('node=24.1')])
    expect(await wrong(five, '--worked', '--evidence-file', 'none')).toEqual([
      2,
      'none cannot be read: it does not exist (ENOENT).',
    ])
    expect(await wrong(five, '--worked', '--evidence-file', folder)).toEqual([
      2,
      `${folder} cannot be read: it is a folder (EISDIR).`,
    ])
    expect(await wrong(five, '--worked', '--evidence-file', 'long.log')).toEqual([
      2,
      expect.stringContaining('20000 characters'),
    ])
    const unknown = crypto.randomUUID()
    expect((await wrong(unknown, '--worked'))[0]).toBe(1)
    expect(await wrong('../users', '--worked')).toEqual([2, '"../users" is not the id of a card.'])
  })
})

describe('files of a checkout', () => {
  let checkout: string
  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-C', checkout, '-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args],
      {
        encoding: 'utf8',
      },
    )

  beforeAll(() => {
    checkout = project('checkout', {})
    git('init', '--quiet')
    mkdirSync(join(checkout, 'src'))
    writeFileSync(join(checkout, 'src', 'app.ts'), 'import x\n\n  start(8080)\n')
    writeFileSync(join(checkout, 'src', 'other.ts'), 'other()\n')
    git('add', '.')
    git('commit', '--quiet', '-m', 'Begin')
  })

  const cite = (at: string) => kvault(['check', '--cite', at], { cwd: join(checkout, 'src') })

  test('a line is cited, moves, and goes', async () => {
    const made = await cite('app.ts:3')
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(made.stdout).toMatch(/^file:src\/app\.ts@[0-9a-f]{12}#[0-9a-f]{12}\n$/)
    const asJson = await kvault(['check', '--cite', 'app.ts:3', '--json'], { cwd: join(checkout, 'src') })
    expect(JSON.parse(asJson.stdout)).toEqual({ cite: made.stdout.trim() })
    const other = (await cite('other.ts:1')).stdout.trim()
    const line = await shared('The port', [made.stdout.trim()])
    const file = await shared('The other file', [other.replace(/#.*/, '')])
    await shared('A line of another repository', [`file:src/app.ts@${'0'.repeat(12)}#${'0'.repeat(12)}`])
    const fits = async () => {
      const { code, stdout } = await kvault(['check', '--json'], { cwd: checkout })
      const cards: { card_id: string; fits: string; cites: { why: string }[] }[] = JSON.parse(stdout).cards
      const held = (id: string) => cards.find(({ card_id }) => card_id === id)
      expect(cards).toHaveLength(2)
      return [code, held(line)?.fits, held(file)?.fits, held(line)?.cites[0]?.why]
    }
    expect(await fits()).toEqual([0, 'exact', 'likely', 'the line is there'])
    writeFileSync(join(checkout, 'src', 'app.ts'), '// moved\n\nimport x\nif (y) {\n\tstart(8080)\r\n}\n')
    expect(await fits()).toEqual([0, 'exact', 'likely', 'the line is there'])
    writeFileSync(join(checkout, 'src', 'app.ts'), 'start(9090)\n')
    expect(await fits()).toEqual([1, 'older', 'likely', 'no line has this text now'])
    rmSync(join(checkout, 'src', 'app.ts'))
    rmSync(join(checkout, 'src', 'other.ts'))
    expect(await fits()).toEqual([1, 'older', 'older', 'the file is gone'])
  })

  test('an invalid cite is refused with the reason', async () => {
    const said = async (at: string) => {
      const { code, stderr } = await cite(at)
      return [code, stderr]
    }
    expect(await said('app.ts')).toEqual([2, expect.stringContaining('src/app.ts:12')])
    expect(await said('app.ts:2')).toEqual([2, expect.stringContaining('Line 2 of src/app.ts is empty')])
    expect(await said('app.ts:99')).toEqual([2, expect.stringContaining('not committed')])
    expect(await said('new.ts:1')).toEqual([2, expect.stringContaining('Commit it')])
    expect(await said('../../x.ts:1')).toEqual([2, expect.stringContaining('not inside')])
    const outside = await kvault(['check', '--cite', 'x:1'], { cwd: project('plain', {}) })
    expect([outside.code, outside.stderr]).toEqual([2, expect.stringContaining('not in a git repository')])
  })

  test('a path that leads out of the checkout cannot be cited', async () => {
    const commit = git('rev-parse', 'HEAD').trim()
    const card = await shared('A path that leads out', [])
    const cites = [`file:../secret.txt@${commit}`]
    expect((await author.put(`/api/v1/cards/${card}/cites`, { cites })).status).toBe(422)
  })
})

test('the next version of the runtime that a card was seen on is no finding, unless it failed there', async () => {
  const seen = await shared('Seen on Node 22', ['runtime:node@22'])
  await shared('Only below Node 23', ['runtime:node@<23'])
  const cwd = project('upgraded', { '.nvmrc': '24.1.0' })
  const check = async () => {
    const { code, stdout } = await kvault(['check', '--json'], { cwd })
    const { cards } = JSON.parse(stdout) as {
      cards: { title: string; fits: string; cites: { why: string }[] }[]
    }
    const named = cards.filter(({ title }) => title.includes('Node 2'))
    return [code, Object.fromEntries(named.map(({ title, fits, cites }) => [title, [fits, cites[0]?.why]]))]
  }
  const limit = { 'Only below Node 23': ['older', '24.1.0 is here'] }
  const why = 'it was seen with 22, 24.1.0 is here'
  expect(await check()).toEqual([1, { ...limit, 'Seen on Node 22': ['unknown', why] }])
  expect((await kvault(['verify-card', seen, '--failed', '--env', 'node=24.1'])).code).toBe(0)
  expect(await check()).toEqual([1, { ...limit, 'Seen on Node 22': ['older', '24.1.0 is here'] }])
})
