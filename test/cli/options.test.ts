import { mkdtempSync, rmSync } from 'node:fs'
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
})

test('where nobody else is, a card is recorded, and the command says that it is not shared', async () => {
  const alone = await kvault('record', ...CARD, '--share')
  expect(alone).toMatchObject({ code: 1, stdout: '' })
  expect(alone.stderr).toMatch(
    /^Recorded [\w-]{36}, but it is not shared: .*Nobody else is in a personal workspace/,
  )
})
