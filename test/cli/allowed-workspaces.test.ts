import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { confirmHome } from '../../src/doors/cli/project.ts'
import { isAllowed } from '../../src/doors/cli/workspaces.ts'
import { apiKeyOf, type LiveVault, liveVault, type Person, registerPerson } from '../support/live.ts'
import { type CommandResult, runKvault } from '../support/process.ts'

let vault: LiveVault
let person: Person
let key: string
let home: string
/** A workspace of somebody else, who has added the person without asking. */
let foreign: string

beforeAll(async () => {
  vault = await liveVault({ RATE_LIMIT: 'off' })
  person = await registerPerson(vault, 'victim@example.com')
  key = await apiKeyOf(person)
  home = mkdtempSync(join(tmpdir(), 'knowledge-vault-home-'))
  const other = await registerPerson(vault, 'other@example.com')
  foreign = (await other.post('/api/v1/workspaces', { name: 'Personal' })).body.workspace_id
  const { user_id } = (await person.get('/api/v1/auth/me')).body
  const added = await other.post(`/api/v1/workspaces/${foreign}/members`, { user_id, role: 'editor' })
  expect(added.status, added.text).toBe(200)
  writeFileSync(join(home, '.kvault.json'), JSON.stringify({ workspace_id: foreign }))
})
afterEach(() => {
  vi.unstubAllEnvs()
})
afterAll(async () => {
  await vault.close()
  rmSync(home, { recursive: true, force: true })
})

const kvault = (args: string[], input = '', more = {}): Promise<CommandResult> =>
  runKvault(args, { HOME: home, KVAULT_URL: vault.url, KVAULT_API_KEY: key, ...more }, { cwd: home, input })

const CARD = ['--title', 'A title of a card', '--symptom', 'It fails', '--fix', 'Mend it']
const cards = async () => (await person.get('/api/v1/cards/stats')).body.total
const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'record_card',
    arguments: { title: 'A title of a card', symptom: 'It fails', fix_summary: 'Mend it' },
  },
}
const bridged = async () => JSON.parse((await kvault(['mcp'], `${JSON.stringify(CALL)}\n`)).stdout)

test('a repository sends no card to a workspace that its person has not allowed on this machine', async () => {
  const refused = await kvault(['record', ...CARD])
  expect(refused.code).toBe(4)
  expect(refused.stderr).toContain(`.kvault.json sends new cards to the workspace ${foreign}`)
  expect(refused.stderr).toContain(`kvault allow-workspace ${foreign}`)
  expect((await bridged()).error.message).toContain(`kvault allow-workspace ${foreign}`)
  expect(await cards()).toBe(0)

  // Whoever names the workspace has decided.
  const named = await kvault(['record', ...CARD, '--workspace', foreign, '--json'])
  expect(JSON.parse(named.stdout).workspace_id).toBe(foreign)
  expect((await kvault(['record', ...CARD])).code).toBe(4)
})

test('allowed once, it holds for record and mcp, and for this account alone', async () => {
  const wrong = await kvault(['allow-workspace', 'the team', '--yes'])
  expect([wrong.code, wrong.stderr]).toEqual([2, '"the team" is not the id of a workspace.\n'])
  const unasked = await kvault(['allow-workspace', foreign])
  expect(unasked.code).toBe(4)
  expect(unasked.stderr).toContain('no terminal to ask on')
  const allowed = await kvault(['allow-workspace', foreign, '--yes'])
  expect(allowed.stdout).toContain(`workspace "Personal" with 2 members (${foreign})`)
  expect(statSync(join(home, '.config', 'kvault', 'workspaces.json')).mode & 0o777).toBe(0o600)

  const recorded = await kvault(['record', ...CARD, '--json'])
  expect(JSON.parse(recorded.stdout).workspace_id).toBe(foreign)
  expect((await bridged()).result.isError).not.toBe(true)
  const other = await apiKeyOf(await registerPerson(vault, 'third@example.com'))
  expect((await kvault(['record', ...CARD], '', { KVAULT_API_KEY: other })).code).toBe(4)
})

test('a workspace that the vault does not show to the person is not allowed', async () => {
  const folder = { KVAULT_HOME: join(home, 'unknown') }
  const unknown = '0190a000-0000-7000-8000-000000000000'
  const { code, stderr } = await kvault(['allow-workspace', unknown, '--yes'], '', folder)
  expect([code, stderr]).toEqual([
    1,
    `The vault has no workspace ${unknown} that you can see. Yours: kvault workspaces\n`,
  ])
  expect(existsSync(join(folder.KVAULT_HOME, 'workspaces.json'))).toBe(false)
})

test('where the person has left the workspace of the project, the refusal names the file that names it', async () => {
  const lead = await registerPerson(vault, 'lead@example.com')
  const file = join(home, 'left', '.kvault.json')
  mkdirSync(dirname(file))
  for (const visibility of ['private', 'public']) {
    const { workspace_id } = (await lead.post('/api/v1/workspaces', { name: 'Left', visibility })).body
    const members = `/api/v1/workspaces/${workspace_id}/members`
    await lead.post(members, { user_id: person.userId, role: 'editor' })
    writeFileSync(file, JSON.stringify({ workspace_id }))
    const inside = { HOME: home, KVAULT_URL: vault.url, KVAULT_API_KEY: key }
    const called = (args: string[]) => runKvault(args, inside, { cwd: dirname(file) })
    expect((await called(['allow-workspace', workspace_id, '--yes'])).code).toBe(0)
    expect((await person.delete(`${members}/${person.userId}`)).status).toBe(200)
    const { code, stderr } = await called(['record', ...CARD])
    expect(code, visibility).toBe(1)
    expect(stderr).toContain(
      `.kvault.json sends new cards to the workspace ${workspace_id}, and the vault refused`,
    )
    const params = { name: 'record_card', arguments: { title: 'Left', symptom: 'x', fix_summary: 'y' } }
    const line = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const bridged = await runKvault(['mcp'], inside, { cwd: dirname(file), input: `${line}\n` })
    const { result } = JSON.parse(bridged.stdout)
    expect(result.isError).toBe(true)
    expect(JSON.parse(result.content[0].text).detail).toContain(
      `.kvault.json sends new cards to the workspace ${workspace_id}, and the vault refused`,
    )
  }
  // What the vault refuses about the card is no matter of the file.
  await kvault(['allow-workspace', foreign, '--yes'])
  const { stderr } = await kvault(['record', ...CARD, '--type', 'nothing'])
  expect(stderr).toContain('card_type')
  expect(stderr).not.toContain('.kvault.json')
})

test('a list of allowed workspaces that cannot be read is not replaced', async () => {
  const file = join(home, 'broken', 'workspaces.json')
  mkdirSync(dirname(file))
  for (const content of ['{"https://other.example u1": ["', '[]']) {
    writeFileSync(file, content)
    const { code, stderr } = await kvault(['allow-workspace', foreign, '--yes'], '', {
      KVAULT_HOME: dirname(file),
    })
    expect([code, stderr]).toEqual([
      1,
      `${file} cannot be read as a JSON object of at most 64 KB. Repair or delete it first.\n`,
    ])
    expect(readFileSync(file, 'utf8')).toBe(content)
  }
})

test('on a terminal the person is asked once, and sees whose workspace it is', async () => {
  vi.stubEnv('KVAULT_HOME', join(home, 'asked'))
  const profile = { url: vault.url, apiKey: key, userId: 'u1' }
  // A folder of a stranger's repository may have a name that would write over the question.
  const named = { id: foreign, file: '/\u001b[2K\rrepository/.kvault.json' }
  const agree = vi.fn(async (_text: string) => false)
  await expect(confirmHome(profile, named, agree)).rejects.toThrow('Nothing was recorded.')
  expect(agree.mock.calls[0]?.[0]).toContain('/[2K repository/.kvault.json sends new cards to the ')
  expect(agree.mock.calls[0]?.[0]).toContain('workspace "Personal" with 2 members')
  agree.mockResolvedValue(true)
  await confirmHome(profile, named, agree)
  await confirmHome(profile, named, agree)
  expect(agree).toHaveBeenCalledTimes(2)
  expect(await isAllowed({ ...profile, apiKey: 'renewed' }, foreign)).toBe(true)
  expect(await isAllowed({ ...profile, userId: 'u2' }, foreign)).toBe(false)
})

test('it holds for every key of the account, given or saved, and for no key of another', async () => {
  const folder = { KVAULT_HOME: join(home, 'several') }
  const called = async (more: object) =>
    JSON.parse((await kvault(['mcp'], `${JSON.stringify(CALL)}\n`, { ...folder, ...more })).stdout)
  const saved = await kvault(['login', '--key', key], '', { ...folder, KVAULT_API_KEY: '' })
  expect(saved.code, saved.stderr).toBe(0)
  await kvault(['allow-workspace', foreign, '--yes'], '', { ...folder, KVAULT_API_KEY: '' })
  // As Claude Desktop starts the bridge: with a key of its own, from its entry.
  const ofEntry = await apiKeyOf(person, ['search', 'record', 'case:write'])
  expect((await called({ KVAULT_API_KEY: ofEntry })).result.isError).not.toBe(true)
  expect((await kvault(['record', ...CARD], '', { ...folder, KVAULT_API_KEY: ofEntry })).code).toBe(0)
  const other = await apiKeyOf(await registerPerson(vault, 'fourth@example.com'))
  expect((await called({ KVAULT_API_KEY: other })).error.message).toContain('allow-workspace')

  // The other way round: allowed with a given key, then used with the saved one.
  rmSync(join(folder.KVAULT_HOME, 'workspaces.json'))
  await kvault(['allow-workspace', foreign, '--yes'], '', { ...folder, KVAULT_API_KEY: ofEntry })
  expect((await called({ KVAULT_API_KEY: '' })).result.isError).not.toBe(true)
})
