import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiKeyOf, type LiveVault, liveVault, type Person, registerPerson } from '../support/live.ts'
import { type CommandResult, runKvault } from '../support/process.ts'

let vault: LiveVault
let person: Person
let home: string
let key: string

beforeAll(async () => {
  vault = await liveVault()
  person = await registerPerson(vault)
  key = await apiKeyOf(person)
  home = mkdtempSync(join(tmpdir(), 'knowledge-vault-home-'))
})
afterAll(async () => {
  await vault.close()
  rmSync(home, { recursive: true, force: true })
})

const kvault = (...args: string[]): Promise<CommandResult> =>
  runKvault(args, { HOME: home, KVAULT_URL: vault.url, KVAULT_API_KEY: key }, { cwd: home })

test('a wrong value of an option is wrong usage, said in words about the option', async () => {
  const samples: [string, ...string[]][] = [
    ['--limit is a number from 1 to 100, not "abc".', 'context', 'org/repo', '--limit', 'abc'],
    ['--limit is a number from 1 to 100, not "101".', 'context', 'org/repo', '--limit', '101'],
    ['--status is one of open, accepted, dismissed, not "x".', 'drafts', 'list', '--status', 'x'],
    ['--workspace is the id of a workspace, not "x".', 'record', '--title', 'x', '--workspace', 'x'],
    ['Give --symptom, --fix, or the card as JSON with --file.', 'record', '--title', 'x'],
    ['--workspace is the id of a workspace, not "x".', 'drafts', 'accept', 'id', '--workspace', 'x'],
    ['--workspace is the id of a workspace, not "x".', 'share', 'id', '--workspace', 'x'],
    // As of a variable of the shell that is not set.
    ['"" is not the id of a card.', 'show', ''],
    ['".." is not the id of a card.', 'share', '..'],
    ['"" is not the id of a card.', 'verify-card', '', '--worked'],
    ['"x" is not the id of a card.', 'report', 'x', '--kind', 'spam'],
    ['"" is not the id of a draft.', 'drafts', 'dismiss', ''],
    // Dismissed drafts do not come again, and the verdict would have been lost.
    ['--verdict does not go with kvault drafts dismiss.', 'drafts', 'dismiss', 'id', '--verdict'],
    ['--file does not go with kvault drafts accept.', 'drafts', 'accept', 'id', '--file', 'x'],
    ['--status does not go with kvault drafts show.', 'drafts', 'show', 'id', '--status', 'open'],
    ['--card goes with --verdict.', 'drafts', 'accept', 'id', '--card', 'x'],
    ['kvault drafts list takes no id. To see one: kvault drafts show x', 'drafts', 'list', 'x'],
    [
      '--workspace is the id of a workspace, not "x".',
      'library',
      'pull',
      'https://v.example',
      '--workspace',
      'x',
    ],
  ]
  for (const [message, ...command] of samples) {
    const result = await kvault(...command)
    expect(result, command.join(' ')).toMatchObject({ code: 2, stdout: '' })
    expect(result.stderr).toContain(message)
  }
})

test('an empty key or address, as of a variable that is not set, is a mistake and not another way to sign in', async () => {
  for (const command of ['login', 'connect', 'workspaces'])
    expect(await kvault(command, '--key', ''), command).toMatchObject({
      code: 3,
      stderr: 'The given API key is empty.\n',
    })
  for (const email of [[], ['--email', '']])
    expect(await kvault('login', ...email, '--password-stdin'), email.join(' ')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Give your e-mail address with --email.\n',
    })
})

test('the address of the MCP endpoint, which guides of clients show, stands for that of its vault', async () => {
  const login = await kvault('login', '--url', `${vault.url}/mcp/`, '--key', key)
  expect(login).toMatchObject({ code: 0, stdout: `Signed in at ${vault.url} with the given key.\n` })
  await kvault('logout')
})

test('the help of a command that joins a vault says which one it takes', async () => {
  for (const [command, handsOut] of [
    ['connect', true],
    ['login', true],
    ['search', false],
  ] as const) {
    const { stdout } = await kvault(command, '--help')
    expect(stdout.includes('the one that handed out'), command).toBe(handsOut)
  }
})

const CARD = ['--title', 'A shared title', '--symptom', 'It fails for all', '--fix', 'Mend it for all']

test('a card is shared with the team of its workspace at once', async () => {
  const { workspace_id } = (await person.post('/api/v1/workspaces', { name: 'Team' })).body
  const colleague = await registerPerson(vault, 'colleague@example.com')
  const { user_id } = (await colleague.get('/api/v1/auth/me')).body
  await person.post(`/api/v1/workspaces/${workspace_id}/members`, { user_id, role: 'viewer' })
  const shared = await kvault('record', ...CARD, '--workspace', workspace_id, '--share')
  expect(shared).toMatchObject({ code: 0, stderr: '' })
  expect(shared.stdout).toContain('Readers: Team, 2 people')
  const found = await colleague.post('/api/v1/search', { query: 'A shared title', scope: 'workspace' })
  expect(found.body.results).toHaveLength(1)

  // The colleague need not know whose card it is. With a lock file the search goes another way.
  const theirs = { HOME: home, KVAULT_URL: vault.url, KVAULT_API_KEY: await apiKeyOf(colleague) }
  const project = join(home, 'project')
  mkdirSync(project)
  writeFileSync(join(project, '.nvmrc'), '24.1.0')
  for (const cwd of [home, project]) {
    const search = (...scope: string[]) => runKvault(['search', 'shared', 'title', ...scope], theirs, { cwd })
    expect((await search()).stdout).toContain('A shared title')
    expect((await search('--scope', 'personal')).stdout).toContain('Nothing found.')
  }
})

test('a card that is recorded already is shared with a team from the list of workspaces', async () => {
  const alone = await kvault('record', ...CARD, '--json')
  const { card_id } = JSON.parse(alone.stdout)
  await person.post('/api/v1/workspaces', { name: 'Later \u001b[31mteam' })
  const { stdout } = await kvault('workspaces')
  const [, id = ''] = /^([\w-]{36}) {2}Later \[31mteam {2}team {6}private {5}admin {6}1$/m.exec(stdout) ?? []
  const shared = await kvault('share', card_id, '--workspace', id)
  expect(shared).toMatchObject({ code: 0, stderr: '' })
  expect(shared.stdout).toContain(`Shared ${card_id}  A shared title\nReaders: Only you\n`)
  expect(JSON.parse((await kvault('share', card_id, '--json')).stdout)).toMatchObject({ workspace_id: id })
  const listed = JSON.parse((await kvault('workspaces', '--json')).stdout)
  expect(listed.items.map((one: { workspace_id: string }) => one.workspace_id)).toContain(id)
})

test('a whole card is shown with all its parts, and without control characters of whoever wrote it', async () => {
  const { card_id } = (
    await person.post('/api/v1/cards', {
      title: 'A whole card',
      symptom: 'It fails.\u001b[2J\nAlways.',
      fix_summary: 'Mend it.',
      root_cause: 'A cause.',
      steps: [
        { order: 2, action: 'Then this.', result: '' },
        { order: 1, action: 'First this.', result: 'Seen.' },
      ],
      body: 'A note.',
      environment: { node: '24.1' },
      tags: ['whole'],
      evidences: [{ kind: 'log\u001b[31m', content: 'A line of a log.' }],
    })
  ).body
  await person.patch(`/api/v1/cards/${card_id}`, { scope_notes: 'Here only.' })
  const shown = await kvault('show', card_id)
  expect(shown).toMatchObject({ code: 0, stderr: '' })
  expect(shown.stdout).toBe(
    [
      ...['A whole card', 'It fails.[2J\nAlways.', 'Fix\nMend it.', 'Cause\nA cause.'],
      ...['Steps\n1. First this.\n   → Seen.\n2. Then this.', 'Notes\nA note.'],
      ...['Evidence: log[31m\nA line of a log.', 'Environment\nnode: 24.1', 'Where it applies\nHere only.'],
      ...['Cites\nruntime:node@24.1', 'Tags\nwhole'],
      `Card\n${card_id}\nby ${(await person.get('/api/v1/auth/me')).body.display_name}; readers: Only you\n`,
    ].join('\n\n'),
  )
  expect(JSON.parse((await kvault('show', card_id, '--json')).stdout)).toMatchObject({
    title: 'A whole card',
  })
  expect(await kvault('show', crypto.randomUUID())).toMatchObject({ code: 1, stderr: 'Card not found.\n' })
})

test('where nobody else is, a card is recorded, and the command says that it is not shared', async () => {
  const alone = await kvault('record', ...CARD, '--share')
  expect(alone).toMatchObject({ code: 1, stdout: '' })
  expect(alone.stderr).toMatch(
    /^Recorded [\w-]{36}, but it is not shared: .*Nobody else is in a personal workspace/,
  )
})
