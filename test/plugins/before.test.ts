import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SILENCE } from '../../src/doors/cli/hooks/agents.ts'
import { refreshNames } from '../../src/doors/cli/hooks/background.ts'
import { findNames, namesFile } from '../../src/doors/cli/hooks/names-index.ts'
import { spawnKvault } from '../support/process.ts'
import { machine, play, type StandIn, standIn } from './stand-in.ts'

let vault: StandIn
let project: string
let home: string
let remove: () => void

beforeEach(async () => {
  vault = await standIn()
  ;({ project, home, remove } = machine(vault))
  writeFileSync(join(project, '.kvault.json'), '{"project_key": "org/app"}')
  vault.names = {
    ids: ['6f6f6f6f-0000-4000-8000-000000000001', '6f6f6f6f-0000-4000-8000-000000000002'],
    files: { 'src/money.ts': [0] },
    commands: { 'npm run migrate': [1] },
  }
})
afterEach(async () => {
  remove()
  await vault.close()
})

const before = (tool_name: string, tool_input: object, more: object = {}) =>
  play('claude-code', 'PreToolUse', { session_id: 's1', cwd: project, tool_name, tool_input, ...more })
const edit = (file: string, more: object = {}) => before('Edit', { file_path: join(project, file) }, more)
const contextOf = (output: string): string => JSON.parse(output).hookSpecificOutput.additionalContext

test('the list of names is fetched for a folder, for its owner alone, and found from below it', async () => {
  await refreshNames(project)
  expect(statSync(namesFile(project)).mode & 0o777).toBe(0o600)
  expect(findNames(join(project, 'src', 'deep'))).toMatchObject({ folder: project, ...vault.names })
  expect(vault.asked).toEqual([])
})

test('a named file or command asks the vault with what names it, once in a session', async () => {
  await refreshNames(project)
  expect(contextOf((await edit('src/money.ts')).output)).toBe('Raise the limit.')
  expect(await edit('src/money.ts')).toEqual(SILENCE)
  const command = { command: `cd db && npm run migrate -- --password=${['hunter', '2hunter2'].join('')}` }
  expect(contextOf((await before('Bash', command)).output)).toBe('Raise the limit.')
  expect(await before('Bash', command)).toEqual(SILENCE)
  expect(vault.asked.map(({ body }) => body)).toMatchObject([
    { moment: 'before', text: 'src/money.ts', about: [vault.names.ids[0]], project_key: 'org/app' },
    { moment: 'before', about: [vault.names.ids[1]] },
  ])
  expect(vault.asked[1]?.body.text).not.toContain('hunter')
  expect((await edit('src/money.ts', { session_id: 's2' })).output).not.toBe('')
})

test('everything else is silent, and nothing is sent', async () => {
  expect(await edit('src/money.ts')).toEqual(SILENCE)
  await refreshNames(project)
  expect(await edit('src/other.ts')).toEqual(SILENCE)
  expect(await before('Bash', { command: 'npm test' })).toEqual(SILENCE)
  expect(await before('Read', { file_path: join(project, 'src/money.ts') })).toEqual(SILENCE)
  vi.stubEnv('KVAULT_HOOKS', '-before')
  expect(await edit('src/money.ts')).toEqual(SILENCE)
  expect(vault.asked).toEqual([])
})

test('a missing, stale, broken or strange list is silence', async () => {
  const kept = { folder: project, at: Date.now(), ...vault.names }
  const strange = [
    'no JSON',
    '[]',
    'null',
    JSON.stringify({ ...kept, at: Date.now() - 15 * 24 * 3_600_000 }),
    JSON.stringify({ ...kept, folder: '/elsewhere' }),
    JSON.stringify({ ...kept, ids: undefined }),
    JSON.stringify({ ...kept, files: { 'src/money.ts': [7, -1] } }),
  ]
  mkdirSync(join(home, 'before'), { recursive: true })
  for (const text of strange) {
    writeFileSync(namesFile(project), text)
    expect(await edit('src/money.ts'), text).toEqual(SILENCE)
  }
  expect(vault.asked).toEqual([])
})

test('the list that is there stays if the vault does not answer', async () => {
  await refreshNames(project)
  const earlier = readFileSync(namesFile(project), 'utf8')
  vault.lookStatus = 500
  await refreshNames(project)
  expect(readFileSync(namesFile(project), 'utf8')).toBe(earlier)
})

test('the program that an agent starts says the same: nothing, or what names the file', async () => {
  await refreshNames(project)
  const env = {
    KVAULT_HOME: home,
    KVAULT_URL: vault.url,
    KVAULT_API_KEY: 'kv_test',
    KVAULT_HOOK_WAIT_MS: '20000',
  }
  const run = (file: string) => {
    const payload = {
      session_id: 's1',
      cwd: project,
      tool_name: 'Edit',
      tool_input: { file_path: join(project, file) },
    }
    return spawnKvault(['hook', 'claude-code', 'PreToolUse'], env, {
      cwd: project,
      input: JSON.stringify(payload),
    })
  }
  expect(await run('src/other.ts')).toEqual({ code: 0, stdout: '', stderr: '' })
  expect(contextOf((await run('src/money.ts')).stdout)).toBe('Raise the limit.')
  expect((await run('src/money.ts')).stdout).toBe('')
  expect(
    (await spawnKvault(['hook', 'claude-code', 'PreToolUse'], env, { cwd: project, input: '{' })).code,
  ).toBe(0)
  expect(vault.asked).toHaveLength(1)
})
