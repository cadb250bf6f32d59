import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PLUGIN, pluginFiles } from '../../scripts/plugin.ts'
import { apiKeyOf, type LiveVault, liveVault, type Person, registerPerson } from '../support/live.ts'
import { repository } from '../support/process.ts'

const json = (...path: string[]) => JSON.parse(readFileSync(join(repository, ...path), 'utf8'))

test('the programs of the plugin are made from the sources as they are now (npm run build:plugin)', async () => {
  for (const [name, text] of await pluginFiles())
    expect(readFileSync(join(PLUGIN, name), 'utf8') === text, name).toBe(true)
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

describe('its hooks, as Claude Code starts them', () => {
  let vault: LiveVault
  let person: Person
  let folder: string
  let env: Record<string, string>

  beforeAll(async () => {
    vault = await liveVault({ RATE_LIMIT: 'off' })
    person = await registerPerson(vault)
    folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-plugin-'))
    env = {
      PATH: process.env.PATH ?? '',
      CLAUDE_PLUGIN_ROOT: PLUGIN,
      KVAULT_HOME: join(folder, 'home'),
      KVAULT_URL: vault.url,
      KVAULT_API_KEY: await apiKeyOf(person),
      // A busy machine is not what is tested here.
      KVAULT_HOOK_WAIT_MS: '60000',
    }
  })
  afterAll(async () => {
    await vault.close()
    rmSync(folder, { recursive: true, force: true })
  })

  type Event = 'SessionStart' | 'Stop'
  const commandOf = (event: Event): string =>
    json('plugins', 'claude-code', 'hooks', 'hooks.json').hooks[event][0].hooks[0].command

  const start = (event: Event, input: object, more: Record<string, string> = {}) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      const child = execFile(
        'sh',
        ['-c', commandOf(event)],
        { cwd: folder, env: { ...env, ...more } },
        (error, out, err) => resolve({ code: error ? Number(error.code) : 0, out, err }),
      )
      child.stdin?.end(JSON.stringify({ cwd: folder, ...input }))
    })
  const contextOf = (out: string): string =>
    out === '' ? '' : JSON.parse(out).hookSpecificOutput.additionalContext
  const transcriptOf = (name: string, ...lines: object[]) => {
    const file = join(folder, `${name}.jsonl`)
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    return file
  }
  const said = (uuid: string, text: string) => ({ type: 'user', uuid, message: { content: text } })
  const turns = async () => {
    const { items } = (await person.get('/api/v1/project-context/projects')).body
    const key = encodeURIComponent(items[0]?.project_key ?? 'none')
    const { body } = await person.get(`/api/v1/project-context/events?project_key=${key}`)
    return body.items.map((event: { content: string }) => event.content) as string[]
  }

  test('nothing is injected before anything is known', async () => {
    expect(await start('SessionStart', { session_id: 'a', source: 'startup' })).toEqual({
      code: 0,
      out: '',
      err: '',
    })
  })

  test('Stop keeps the words that the client hands over, once for each message of the person', async () => {
    const transcript_path = transcriptOf('a', said('1', 'Why is the build red?'))
    const input = { session_id: 'a', transcript_path, last_assistant_message: 'A watcher limit.' }
    expect(await start('Stop', input)).toEqual({ code: 0, out: '', err: '' })
    expect(await turns()).toEqual(['User message:\nWhy is the build red?\n\nAgent report:\nA watcher limit.'])
    await start('Stop', { ...input, last_assistant_message: 'The task in the background has ended.' })
    expect(await turns()).toHaveLength(1)
    await start('Stop', { ...input, stop_hook_active: true })
    expect(await turns()).toHaveLength(1)
  })

  test('an older client has the words in its transcript, a moment later', async () => {
    const transcript_path = transcriptOf('b', said('1', 'And now?'))
    const running = start('Stop', { session_id: 'b', transcript_path })
    setTimeout(
      () => transcriptOf('b', said('1', 'And now?'), { type: 'assistant', message: { content: 'Green.' } }),
      300,
    )
    expect(await running).toEqual({ code: 0, out: '', err: '' })
    expect((await turns())[0]).toContain('Green.')
  })

  test('a new session gets all of it; one that goes on gets what others wrote since', async () => {
    const first = contextOf((await start('SessionStart', { session_id: 'c', source: 'startup' })).out)
    expect(first).toContain('Why is the build red?')
    expect(first).toContain('session_id c')
    expect((await start('SessionStart', { session_id: 'c', source: 'resume' })).out).toBe('')
    const stop = (session_id: string, text: string) =>
      start('Stop', {
        session_id,
        transcript_path: transcriptOf(session_id, said(text, text)),
        last_assistant_message: 'done',
      })
    await stop('c', 'asked by this session')
    await stop('d', 'asked by another session')
    const later = contextOf((await start('SessionStart', { session_id: 'c', source: 'compact' })).out)
    expect(later).toContain('asked by another session')
    expect(later).not.toContain('asked by this session')
    expect(later).not.toContain('Why is the build red?')
    expect(contextOf((await start('SessionStart', { session_id: 'c', source: 'clear' })).out)).toContain(
      'red?',
    )
  })

  test('a vault that does not answer costs a line, never the session; off is off', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await new Promise((resolve) => silent.once('listening', resolve))
    const KVAULT_URL = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const late = await start(
      'SessionStart',
      { session_id: 'e', source: 'startup' },
      { KVAULT_URL, KVAULT_HOOK_WAIT_MS: '' },
    )
    silent.closeAllConnections()
    silent.close()
    expect(late).toMatchObject({ code: 0, out: '', err: expect.stringContaining('memory was not reached') })
    expect(await start('SessionStart', { session_id: 'f' }, { KVAULT_HOOKS: 'off' })).toEqual({
      code: 0,
      out: '',
      err: '',
    })
    expect(await start('Stop', { session_id: 'f', transcript_path: join(folder, 'none') })).toMatchObject({
      code: 0,
      out: '',
    })
  })
})
