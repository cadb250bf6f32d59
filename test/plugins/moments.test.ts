import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { SILENCE, saveSwitches } from '../../src/doors/cli/hooks/agents.ts'
import { hasFailed } from '../../src/doors/cli/hooks/command-result.ts'
import { lastRun, noteRun } from '../../src/doors/cli/hooks/state.ts'
import { DAY_MS } from '../../src/shared/time.ts'
import { machine, play, playWritten, type StandIn, standIn } from './stand-in.ts'

let vault: StandIn
let project: string
let remove: () => void

beforeEach(async () => {
  vault = await standIn()
  ;({ project, remove } = machine(vault))
  writeFileSync(join(project, '.kvault.json'), '{"project_key": "org/app"}')
})
afterEach(async () => {
  remove()
  await vault.close()
})

const claude = (event: string, payload: object = {}) =>
  play('claude-code', event, { session_id: 's1', cwd: project, ...payload })
const failure = (more: object = {}) =>
  claude('PostToolUseFailure', {
    tool_name: 'Bash',
    tool_input: { command: 'npm test' },
    error: 'Exit code 1\nENOSPC',
    ...more,
  })
const prompt = (text = 'Why is the watcher failing?') =>
  claude('UserPromptSubmit', { prompt: text, source: 'user' })
const playText = (text: string | null) => playWritten('claude-code', 'PostToolUseFailure', text)
const contextOf = (output: string): string => JSON.parse(output).hookSpecificOutput.additionalContext

describe('at each moment the vault is asked, and its text is injected as it is', () => {
  test('a command that failed: the command, its exit code and its output', async () => {
    const { output, exitCode } = await failure()
    expect([contextOf(output), exitCode]).toEqual(['Raise the limit.', 0])
    expect(vault.asked).toEqual([
      {
        path: '/api/v1/recall',
        key: 'kv_test',
        idempotencyKey: undefined,
        body: {
          moment: 'failure',
          text: '$ npm test\nexit code 1\nExit code 1\nENOSPC',
          project_key: 'org/app',
          session_id: 's1',
          client: 'claude-code',
        },
      },
    ])
    expect(lastRun('claude-code', 'failure')).toMatchObject({ chars: 16, ms: expect.any(Number) })
  })

  test('a shown card is not asked for again in this session, but is after a new start', async () => {
    await failure()
    await failure()
    expect(vault.asked[1]?.body.exclude).toEqual(['card-1'])
    await claude('SessionStart', { source: 'clear' })
    expect(vault.asked[2]?.body).toMatchObject({ moment: 'start', project_key: 'org/app' })
    expect(vault.asked[2]?.body.exclude).toBeUndefined()
  })

  test('what a hook did not hear may come again: it says so until a new start', async () => {
    vi.stubEnv('KVAULT_URL', 'http://127.0.0.1:1')
    expect(await failure()).toEqual(SILENCE)
    vi.stubEnv('KVAULT_URL', vault.url)
    await failure()
    await failure()
    await claude('SessionStart', { source: 'clear' })
    await failure()
    expect(vault.asked.map(({ body }) => body.lost_answer)).toEqual([true, true, undefined, undefined])
    expect(vault.asked[1]?.body.exclude).toEqual(['card-1'])
  })

  test('a prompt; a short word, a command of the client and what no person wrote are none', async () => {
    expect(contextOf((await prompt()).output)).toBe('Raise the limit.')
    expect(vault.asked[0]?.body).toMatchObject({ moment: 'prompt', text: 'Why is the watcher failing?' })
    for (const text of ['go on', '/clear the whole thing now']) expect(await prompt(text)).toEqual(SILENCE)
    expect(await claude('UserPromptSubmit', { prompt: 'A task has ended.', source: 'system' })).toEqual(
      SILENCE,
    )
    expect(vault.asked).toHaveLength(1)
  })

  test('a start and a compaction; a session that is resumed has in its conversation what it was given', async () => {
    await claude('SessionStart', { source: 'startup' })
    expect(await claude('SessionStart', { source: 'resume' })).toEqual(SILENCE)
    expect(await claude('PreCompact', { trigger: 'auto' })).toEqual(SILENCE)
    await claude('SessionStart', { source: 'compact' })
    expect(vault.asked.map(({ body }) => body.moment)).toEqual(['start', 'compact'])
  })

  test('if a compaction cannot be answered, the next prompt has both', async () => {
    const codex = (event: string, more: object = {}) =>
      play('codex', event, { session_id: 'x1', cwd: project, ...more })
    await codex('PreCompact', { trigger: 'auto' })
    const { output } = await codex('UserPromptSubmit', { prompt: 'Why is the watcher failing?' })
    expect(contextOf(output)).toBe('Raise the limit.\n\nRaise the limit.')
    await codex('UserPromptSubmit', { prompt: 'And why does it fail again?' })
    expect(vault.asked.map(({ body }) => body.moment).sort()).toEqual(['compact', 'prompt', 'prompt'])
  })

  test('the budget of a start may be set; a text that is longer than any budget is cut', async () => {
    vi.stubEnv('KVAULT_HOOK_CHARS', '3000')
    vault.answer.text = 'x'.repeat(20_000)
    const { output } = await claude('SessionStart', { source: 'startup' })
    expect(vault.asked[0]?.body.budget_chars).toBe(3000)
    expect(contextOf(output)).toHaveLength(8000)
    await failure()
    expect(vault.asked[1]?.body.budget_chars).toBeUndefined()
  })
})

describe('silence', () => {
  test('the vault has nothing to say, or says something that is no answer', async () => {
    vault.answer = { silent: true, reason: 'nothing fits', items: [], text: 'not to be said' }
    expect(await failure()).toEqual(SILENCE)
    vault.answer = { silent: false, reason: '', items: [], text: '  ' }
    expect(await failure()).toEqual(SILENCE)
  })

  test('a vault that is late, away, or none; a payload that is none', async () => {
    vault.delayMs = 2000
    vi.stubEnv('KVAULT_HOOK_WAIT_MS', String(Math.round(performance.now()) + 100))
    expect(await failure()).toEqual(SILENCE)
    expect(lastRun('claude-code', 'failure')?.error).toContain('no answer in time')
    vi.stubEnv('KVAULT_URL', 'http://127.0.0.1:1')
    expect(await failure()).toEqual(SILENCE)
    expect(lastRun('claude-code', 'failure')?.error).toContain('ECONNREFUSED')
    vi.stubEnv('KVAULT_API_KEY', '')
    expect(await failure()).toEqual(SILENCE)
    for (const text of ['', 'no json', '[]', 'null', '5'])
      expect(await play('claude-code', 'Stop', text as unknown as object)).toEqual(SILENCE)
  })

  test('a session is known by an id that the vault takes, and a byte order mark is not a part of the payload', async () => {
    for (const session_id of ['s'.repeat(5000), 'a\0b']) await failure({ session_id })
    expect(vault.asked.map(({ body }) => body.session_id)).toEqual([
      expect.stringMatching(/^h[0-9a-f]{64}$/),
      expect.stringMatching(/^h[0-9a-f]{64}$/),
    ])
    const payload = {
      cwd: project,
      tool_name: 'Bash',
      tool_input: { command: 'npm test' },
      error: 'Exit code 1',
    }
    expect((await playText(`\uFEFF${JSON.stringify(payload)}`)).output).toContain('Raise the limit.')
    expect(await playText(null)).toEqual(SILENCE)
    expect(lastRun('claude-code', 'capture')?.error).toContain('more than 16 MB')
  })

  test('what was lost is said for a day, also after exchanges that were kept', async () => {
    await playText(null)
    const kept = { ms: 5, chars: 300 }
    for (let exchange = 0; exchange < 2; exchange++) {
      noteRun('claude-code', 'capture', kept)
      const run = lastRun('claude-code', 'capture')
      expect(run).toMatchObject({ ...kept, lost: { error: expect.stringContaining('more than 16 MB') } })
      expect(run?.error).toBeUndefined()
    }
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY_MS })
    noteRun('claude-code', 'capture', kept)
    vi.useRealTimers()
    expect(lastRun('claude-code', 'capture')?.lost).toBeUndefined()
    // What could not be asked is over with the next answer.
    noteRun('claude-code', 'failure', { ms: 5, chars: 0, error: 'no answer in time' })
    noteRun('claude-code', 'failure', kept)
    expect(lastRun('claude-code', 'failure')?.lost).toBeUndefined()
  })

  test('a command that succeeded is not asked about; one behind a pipe is, where its output says that it failed', () => {
    const run = (command: string, output: string, exitCode: number | null = 0) =>
      hasFailed({ command, exitCode, output })
    expect(run('npm test', 'Error: boom')).toBe(false)
    expect(run('npm test', '', 1)).toBe(true)
    for (const output of [
      'npm error code ENOENT',
      '  error[E0432]: unresolved import',
      'Tests  2 failed | 30 passed',
      'Traceback (most recent call last):',
      'TypeError: x is not a function',
      'src/a.ts(3,1): error TS2304: Cannot find name',
      'sh: jest: command not found',
      'FAIL src/a.test.ts',
      '\u001b[31mError: boom\u001b[39m\r\n',
      'sh: 1: jest: Permission denied\r\n',
      ' ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"',
      '╷\n│ Error: Error acquiring the state lock\n╵',
      "make: *** No rule to make target 'bar.o', needed by 'app'.  Stop.",
    ]) {
      expect(run('npm test 2>&1 | tail -20', output), output).toBe(true)
      expect(run('npm test', output, null), output).toBe(true)
    }
    for (const output of [
      'Tests  30 passed',
      '0 failed',
      'src/error.ts',
      'no errors found',
      'handles Error types',
    ])
      expect(run('npm test | tail', output), output).toBe(false)
  })

  test('a command that only prints a text has not failed by what the text says, but by its own error', () => {
    const text = '## Unreleased\n\nTypeError: x is not a function\nerror: unresolved import\n2 failed'
    const run = (command: string, output = text, exitCode: number | null = 0) =>
      hasFailed({ command, exitCode, output })
    for (const command of [
      'cat CHANGELOG.md',
      'cat CHANGELOG.md | head -50',
      'cd docs && LANG=C sed -n 1,80p notes.md 2>&1 | grep -i "error:|a \\" b" ; echo done',
      'git --no-pager log -3 | cat',
      "rg -n 'error|fail; `now`' src",
      'find . -name "*.log" | xargs tail -n5',
    ]) {
      expect(run(command), command).toBe(false)
      expect(run(command, text, null), command).toBe(false)
    }
    // Both have succeeded, and what is in quotes joins no commands.
    for (const command of [
      'npm ci && npm test',
      'git commit -m "fix: a; b | c"',
      '# the tests\ncd app\nnpm ci &&\n  npm test \\\n  --all 2>&1 &>log\n',
      '& "C:\\tools\\node.exe" test.js',
    ])
      expect(run(command), command).toBe(false)
    for (const command of [
      'npm test\necho done',
      'cd app && npm test\r\nls',
      'bash <<EOF\nnpm test\ntrue\nEOF',
      'npm test & wait',
      '! npm test',
      "bash -lc 'npm test | tail'",
      'npm test > out.log; cat out.log',
      'cat install.sh | sh',
      'echo "$(npm test)" | tail',
      'find . -name a -exec make {} + | tail',
      'git push | cat',
    ])
      expect(run(command), command).toBe(true)
    expect(run('cat a.md | head', 'cat: a.md: No such file or directory')).toBe(true)
    expect(run('bat a.md', '/bin/sh: 1: bat: not found', null)).toBe(true)
    expect(run('git log | head', 'fatal: not a git repository')).toBe(true)
  })
})

describe('off is off', () => {
  const asked = async () => {
    vault.asked.length = 0
    await failure()
    await prompt()
    await claude('SessionStart', { source: 'startup' })
    return vault.asked.map(({ body }) => body.moment)
  }
  const write = (content: unknown) => writeFileSync(join(project, '.kvault.json'), JSON.stringify(content))

  test('by the shell, for everything or by name', async () => {
    vi.stubEnv('KVAULT_HOOKS', ' off')
    expect(await asked()).toEqual([])
    vi.stubEnv('KVAULT_HOOKS', '-prompt, -claude-code:failure ')
    expect(await asked()).toEqual(['start'])
  })

  test('by the person, for an agent, a moment, or a moment of an agent', async () => {
    saveSwitches(['codex', 'start', 'codex:prompt'])
    expect(await asked()).toEqual(['failure', 'prompt'])
    saveSwitches(['claude-code'])
    expect(await asked()).toEqual([])
  })

  test('by the project, which may stand above the folder', async () => {
    for (const hooks of [false, 'off', { off: true }, { off: ['all'] }, { off: ['claude-code'] }]) {
      write({ hooks })
      expect(await asked(), JSON.stringify(hooks)).toEqual([])
    }
    write({ hooks: { off: ['failure', 5, 'codex'] } })
    expect(await asked()).toEqual(['prompt', 'start'])
  })

  test('a file of a stranger switches nothing on, names no vault and no key', async () => {
    vi.stubEnv('KVAULT_HOOKS', '-prompt')
    write({
      url: 'http://127.0.0.1:1',
      api_key: 'kv_theirs',
      KVAULT_URL: 'http://127.0.0.1:1',
      hooks: { off: [], on: ['prompt'], url: 'http://127.0.0.1:1' },
      project_key: '__user__/preferences',
    })
    expect(await asked()).toEqual(['failure', 'start'])
    for (const { key, body } of vault.asked) {
      expect(key).toBe('kv_test')
      expect(body.project_key).toMatch(/^folder-/)
    }
  })

  test('a folder of its name is passed over', async () => {
    rmSync(join(project, '.kvault.json'))
    mkdirSync(join(project, '.kvault.json'))
    expect(await asked()).toEqual(['failure', 'prompt', 'start'])
  })
})
