import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { hookFiles, PLUGIN, writePrograms } from '../../scripts/plugin.ts'
import { capabilities } from '../../src/capabilities.ts'
import { toolsOf } from '../../src/core/invoke.ts'
import { apiKeyOf, type LiveVault, liveVault, type Person, registerPerson } from '../support/live.ts'
import { repository } from '../support/process.ts'

const json = (...path: string[]) => JSON.parse(readFileSync(join(repository, ...path), 'utf8'))

test('the files of hooks in plugins are those of the sources as they are now (npm run build:plugin)', () => {
  for (const [name, text] of hookFiles())
    expect(readFileSync(join(repository, 'plugins', name), 'utf8') === text, name).toBe(true)
})

test('the marketplace names the plugin, its folder and its author', () => {
  const { plugins, owner } = json('.claude-plugin', 'marketplace.json')
  const plugin = json('plugins', 'claude-code', '.claude-plugin', 'plugin.json')
  expect(plugins).toHaveLength(1)
  expect(join(repository, plugins[0].source)).toBe(PLUGIN)
  expect(plugins[0].name).toBe(plugin.name)
  expect(owner).toEqual(plugin.author)
  expect(readFileSync(join(PLUGIN, plugin.icon), 'utf8')).toContain('<svg')
})

test('its skill and its commands name only tools that exist', () => {
  const names = new Set(toolsOf(capabilities).map(({ tool }) => tool.name))
  const FIELDS = ['include_workspaces', 'root_cause', 'fix_summary', 'project_preferences']
  const folder = join(PLUGIN, 'commands')
  const commands = readdirSync(folder)
  expect(commands.sort()).toEqual(['recall.md', 'record.md', 'reflect.md', 'verify.md'])
  for (const file of [
    ...commands.map((name) => join(folder, name)),
    join(PLUGIN, 'skills', 'knowledge-vault', 'SKILL.md'),
  ]) {
    const text = readFileSync(file, 'utf8')
    expect(text, file).toMatch(/^---\n[\s\S]*description: (?:>-\n {2})?.{20,}\n[\s\S]*---\n/)
    const named = [...text.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, name = '']) => name)
    expect(named.length, file).toBeGreaterThan(0)
    expect(
      named.filter((name) => !names.has(name) && !FIELDS.includes(name)),
      file,
    ).toEqual([])
  }
})

describe('its hooks, as Claude Code starts them, with a real vault', () => {
  let vault: LiveVault
  let person: Person
  let folder: string
  let env: Record<string, string>

  beforeAll(async () => {
    vault = await liveVault({ RATE_LIMIT: 'off' })
    person = await registerPerson(vault)
    folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-plugin-'))
    const installed = join(folder, 'plugin')
    cpSync(PLUGIN, installed, { recursive: true })
    await writePrograms(installed)
    env = {
      PATH: process.env.PATH ?? '',
      CLAUDE_PLUGIN_ROOT: installed,
      KVAULT_HOME: join(folder, 'home'),
      KVAULT_URL: vault.url,
      KVAULT_API_KEY: await apiKeyOf(person),
      // A busy machine is not what is tested here.
      KVAULT_HOOK_WAIT_MS: '60000',
    }
    writeFileSync(join(folder, '.kvault.json'), '{"project_key": "org/app"}')
  })
  afterAll(async () => {
    await vault.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const commandOf = (event: string): string =>
    json('plugins', 'claude-code', 'hooks', 'hooks.json').hooks[event][0].hooks[0].command

  const start = (event: string, input: object, more: Record<string, string> = {}) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      const child = execFile(
        'sh',
        ['-c', commandOf(event)],
        { cwd: folder, env: { ...env, ...more } },
        (error, out, err) => resolve({ code: error ? Number(error.code) : 0, out, err }),
      )
      child.stdin?.end(JSON.stringify({ cwd: folder, session_id: 's1', ...input }))
    })
  const SILENT = { code: 0, out: '', err: '' }
  const failure = { tool_name: 'Bash', tool_input: { command: 'npm test' } }
  type Event = { content: string; meta: { activity: { tests: object[]; commands: object[] } } }
  const turns = async (): Promise<Event[]> =>
    (await person.get('/api/v1/project-context/events?project_key=org/app')).body.items ?? []

  test('a failure is noted, a pass too, and Stop keeps the exchange; the vault has it a moment later', async () => {
    const secret = `ghp_${'x1Y2z3'.repeat(6)}`
    const transcript_path = join(folder, 'transcript.jsonl')
    const said = {
      type: 'user',
      uuid: '1',
      message: { content: `Why is the build red? My token is ${secret}` },
    }
    writeFileSync(transcript_path, `${JSON.stringify(said)}\n`)
    expect(await start('PostToolUseFailure', { ...failure, error: 'Exit code 1\nENOSPC' })).toMatchObject({
      code: 0,
      err: '',
    })
    expect(await start('PostToolUse', { ...failure, tool_response: { stdout: 'passed' } })).toEqual(SILENT)
    const stop = { transcript_path, last_assistant_message: 'A watcher limit.' }
    expect(await start('Stop', stop)).toEqual(SILENT)
    await vi.waitUntil(async () => (await turns()).length > 0, { timeout: 30_000, interval: 100 })
    const [turn] = await turns()
    expect(turn?.content).toContain('Why is the build red? My token is <')
    expect(turn?.content).not.toContain(secret)
    expect(turn?.meta.activity).toMatchObject({
      commands: [
        { command: 'npm test', exit_code: 1 },
        { command: 'npm test', exit_code: 0 },
      ],
      tests: [{ command: 'npm test', before: 'failed', after: 'passed' }],
    })
    await start('Stop', stop)
    expect(await turns()).toHaveLength(1)
  })

  test('a command that fails gets the card that fits, once in a session; a new session gets the memory', async () => {
    const { body } = await person.post('/api/v1/cards', {
      title: 'ENOSPC: the limit of file watchers is reached',
      symptom: 'Error: ENOSPC: System limit for number of file watchers reached, watch src/app.ts',
      fix_summary: 'Raise fs.inotify.max_user_watches with sysctl and start the watcher again.',
    })
    expect(body.card_id).toBeDefined()
    const error =
      'Exit code 1\nError: ENOSPC: System limit for number of file watchers reached, watch src/app.ts\n    at FSWatcher.start'
    const fail = () =>
      start('PostToolUseFailure', {
        ...failure,
        session_id: 's2',
        tool_input: { command: 'npm run dev' },
        error,
      })
    const { out, err, code } = await fail()
    expect([code, err]).toEqual([0, ''])
    const told = JSON.parse(out).hookSpecificOutput
    expect(told.hookEventName).toBe('PostToolUseFailure')
    expect(told.additionalContext).toContain('max_user_watches')
    expect(told.additionalContext.length).toBeLessThanOrEqual(1200)
    expect(await fail()).toEqual(SILENT)
    const begun = await start('SessionStart', { session_id: 's3', source: 'startup' })
    expect(JSON.parse(begun.out).hookSpecificOutput.additionalContext).toContain('Why is the build red?')
  })

  test('a vault that does not answer costs neither a word nor the session; off is off', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await new Promise((resolve) => silent.once('listening', resolve))
    const KVAULT_URL = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const late = await start('SessionStart', { source: 'startup' }, { KVAULT_URL, KVAULT_HOOK_WAIT_MS: '' })
    silent.closeAllConnections()
    silent.close()
    expect(late).toEqual(SILENT)
    expect(await start('SessionStart', { source: 'startup' }, { KVAULT_HOOKS: 'off' })).toEqual(SILENT)
    expect(await start('Stop', { transcript_path: join(folder, 'none') })).toEqual(SILENT)
  })
})
