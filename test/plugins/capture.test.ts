import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SILENCE } from '../../src/doors/cli/hooks/agents.ts'
import { read, waitingFiles } from '../../src/doors/cli/hooks/spool.ts'
import { lastRun, note } from '../../src/doors/cli/hooks/state.ts'
import { acrossCuts } from '../support/across-cuts.ts'
import { machine, play, type StandIn, standIn } from './stand-in.ts'

let vault: StandIn
let home: string
let project: string
let remove: () => void

beforeEach(async () => {
  vault = await standIn()
  ;({ home, project, remove } = machine(vault))
  // Memory is found in the personal workspace, so the home of new cards says nothing about it.
  const names = { project_key: 'org/app', workspace_id: crypto.randomUUID() }
  writeFileSync(join(project, '.kvault.json'), JSON.stringify(names))
})
afterEach(async () => {
  remove()
  await vault.close()
})

const codex = (event: string, payload: object = {}) =>
  play('codex', event, { session_id: 's1', cwd: project, ...payload })
const command = (text: string, output: string, exit_code: number | null = null) =>
  codex('PostToolUse', {
    tool_name: 'Bash',
    tool_input: { command: text },
    tool_response: { output, exit_code },
  })
const exchange = async (prompt: string, last_assistant_message = 'done', session_id = 's1') => {
  await codex('UserPromptSubmit', { prompt, session_id })
  await codex('Stop', { last_assistant_message, session_id })
}
type Input = {
  user_message: string
  agent_report: string
  client: string
  meta: {
    activity: {
      commands: { command: string; exit_code: number | null; output: string }[]
      files: string[]
      tests: object[]
      environment: object
    }
  }
}
const inputs = () => waitingFiles().map((name) => read(name)?.input as Input)

test('an exchange has what was said and what was done: commands, files, tests that became green, versions', async () => {
  writeFileSync(join(project, '.nvmrc'), '24.1.0\n')
  await codex('UserPromptSubmit', { prompt: 'Mend the tests, please' })
  await command('npm test', '1 failed', 1)
  await codex('PostToolUse', {
    tool_name: 'apply_patch',
    tool_input: {
      command: `*** Begin Patch\n*** Update File: ${project}/src/a.ts\n*** Update File: /etc/hosts\n`,
    },
    tool_response: 'ok',
  })
  await command('npm test', '9 passed', 0)
  expect(await codex('Stop', { last_assistant_message: 'The limit was too low.' })).toEqual(SILENCE)
  const [input] = inputs()
  expect(input).toEqual({
    project_key: 'org/app',
    user_message: 'Mend the tests, please',
    agent_report: 'The limit was too low.',
    client: 'codex-hook',
    session_id: 's1',
    meta: {
      activity: {
        commands: [
          { command: 'npm test', exit_code: 1, output: expect.stringContaining('1 failed') },
          { command: 'npm test', exit_code: 0, output: '9 passed' },
        ],
        files: ['src/a.ts', 'hosts'],
        tests: [{ command: 'npm test', before: 'failed', after: 'passed' }],
        environment: { node: '24.1.0' },
      },
    },
  })
  expect(lastRun('codex', 'capture')).toMatchObject({ chars: JSON.stringify(input).length })
  // What the lock files said goes along with the next question.
  await command('npm run build', '', 2)
  expect(vault.asked.at(-1)?.body.environment).toEqual({ node: '24.1.0' })
})

test('a test that failed in one exchange and passes in the next became green', async () => {
  await codex('UserPromptSubmit', { prompt: 'Run the tests' })
  await command('pytest -q', '', 1)
  await codex('Stop', { last_assistant_message: 'Red.' })
  await codex('UserPromptSubmit', { prompt: 'And now?' })
  await command('pytest -q', '', 0)
  await codex('Stop', { last_assistant_message: 'Green.' })
  expect(inputs().map(({ meta }) => meta.activity.tests)).toEqual([
    [],
    [{ command: 'pytest -q', before: 'failed', after: 'passed' }],
  ])
})

test('exit codes that Codex tells to no hook are in the file of its session', async () => {
  const transcript_path = join(project, 'rollout.jsonl')
  const outputs = {
    call_1: 'Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nx',
    call_2: 'Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nx',
    call_3: 'Process running with session ID 4\nOutput:\nProcess exited with code 3\n',
    call_4: 'Exit code: -1\nWall time: 0.1 seconds\nOutput:\nExit code: 0\n',
    call_5: JSON.stringify({ output: 'Exit code: 1', metadata: { exit_code: 0, duration_seconds: 0.1 } }),
    call_6: [{ type: 'input_text', text: 'Exit code: 0\nWall time: 0.1 seconds\nOutput:\nx' }],
  }
  const lines = Object.entries(outputs).map(([call_id, output]) => {
    const type = call_id === 'call_6' ? 'custom_tool_call_output' : 'function_call_output'
    return JSON.stringify({ type: 'response_item', payload: { type, call_id, output } })
  })
  writeFileSync(transcript_path, `half a line\n${lines.join('\n')}\n`)
  await codex('UserPromptSubmit', { prompt: 'Mend the tests, please' })
  for (const [tool_use_id, tool_response] of [
    ['call_1', 'Error: red'],
    ['call_2', 'The last time it exited with code 1, or exit code 2: now it is green'],
    ['call_3', 'Process exited with code 3'],
    ['call_4', 'red'],
    ['call_5', 'green'],
    ['call_6', 'green'],
  ])
    await codex('PostToolUse', {
      tool_name: 'Bash',
      tool_input: { command: 'npm test' },
      tool_response,
      tool_use_id,
    })
  await codex('Stop', { last_assistant_message: 'Done.', transcript_path })
  const { activity } = (inputs()[0] as Input).meta
  expect(activity.commands.map(({ exit_code }) => exit_code)).toEqual([1, 0, null, -1, 0, 0])
  expect(activity.tests).toHaveLength(1)
})

test('secrets are replaced before anything is written to the spool', async () => {
  const key = `AKIA${'IOSFODNN7EXAMPL2'}`
  await codex('UserPromptSubmit', { prompt: `My key is ${key}` })
  await command(`deploy --key ${key}`, `AWS_ACCESS_KEY_ID=${key}`, 1)
  await codex('Stop', { last_assistant_message: `Do not use ${key}` })
  const [name = ''] = waitingFiles()
  const text = readFileSync(join(home, 'spool', name), 'utf8')
  expect(text).not.toContain(key)
  expect(text.match(/<AWS_ACCESS_KEY[A-Z_]*>/g)?.length).toBeGreaterThanOrEqual(4)
})

test('colours hide no secret, and leave nothing of their codes', async () => {
  const key = ['ghp', 'q7Rt2Wz9'.repeat(5).slice(0, 36)].join('_')
  await command('make', `\u001b[31mError: \u001b[1m${key}\u001b[0m is refused\u001b[39m`, 1)
  await exchange('Mend it')
  expect(inputs()[0]?.meta.activity.commands[0]?.output).toBe('Error: <GITHUB_TOKEN> is refused')
})

test('no part of a secret that lies across a cut reaches the spool', async () => {
  const [key, word] = [`ghp_${'q7Rt2Wz9'.repeat(5).slice(0, 36)}`, ['Vx5k', 'Qz81', 'mL0w'].join('')]
  const secrets = [key, `password="${word}"`, `password:\n${word}`, `| password |\n|---|\n| ${word} |`]
  const parts = [key.slice(4, 12), key.slice(-8), word.slice(0, 5), word.slice(-5)]
  for (const filler of ['lorem ipsum ', 'a line of an output that says little\n'])
    for (const secret of secrets) {
      for (const text of acrossCuts(secret, filler, 24_000, [4000, 20_000])) await exchange(text, text)
      for (const text of acrossCuts(secret, filler, 12_000, [375, 2000, -1122, -5997]))
        await command('make all', text)
      await exchange('And what did it print?')
      for (const text of acrossCuts(secret, filler, 3000, [500, 2000])) await command(`npm test ${text}`, 'x')
      await exchange('And what was done?')
      const spool = waitingFiles().map((name) => readFileSync(join(home, 'spool', name), 'utf8'))
      for (const part of parts)
        expect(spool.filter((text) => text.includes(part)).length, `${part} of ${secret}`).toBe(0)
    }
})

test('however much was done, the exchange fits into what the vault takes', async () => {
  await codex('UserPromptSubmit', { prompt: 'p '.repeat(25_000) })
  for (let at = 0; at < 60; at++)
    await command(`make ${at} ${'c'.repeat(900)}`, `${'ü'.repeat(99)}\n`.repeat(90))
  const names = Array.from({ length: 150 }, (_, at) => `*** Add File: src/${at}.ts`).join('\n')
  await codex('PostToolUse', {
    tool_name: 'apply_patch',
    tool_input: { command: names },
    tool_response: 'ok',
  })
  await codex('Stop', { last_assistant_message: 'r'.repeat(50_000) })
  const { activity } = (inputs()[0] as Input).meta
  expect(activity.commands.length).toBeLessThanOrEqual(40)
  expect(activity.commands.at(-1)?.command).toHaveLength(500)
  expect(activity.files).toHaveLength(100)
  expect(Buffer.byteLength(JSON.stringify(activity))).toBeLessThan(60 * 1024)
  expect(inputs()[0]?.user_message).toContain('[… ')
})

test('Claude Code: the words of the person are those in its transcript, once for each message', async () => {
  const transcript_path = join(project, 'transcript.jsonl')
  writeFileSync(
    transcript_path,
    `${JSON.stringify({ type: 'user', uuid: '1', message: { content: 'Why?' } })}\n`,
  )
  const stop = (more: object = {}) =>
    play('claude-code', 'Stop', {
      session_id: 'c1',
      cwd: project,
      transcript_path,
      last_assistant_message: 'So.',
      ...more,
    })
  await stop()
  await stop({ last_assistant_message: 'The task in the background has ended.' })
  await stop({ stop_hook_active: true })
  expect(inputs().map(({ user_message, agent_report }) => [user_message, agent_report])).toEqual([
    ['Why?', 'So.'],
  ])
  await stop({ session_id: 'c2', transcript_path: join(project, 'none') })
  expect(waitingFiles()).toHaveLength(1)
})

test('other agents hand words over as they are said', async () => {
  const cursor = (event: string, more: object = {}) =>
    play('cursor', event, { conversation_id: 'u1', workspace_roots: [project], ...more })
  await cursor('beforeSubmitPrompt', { prompt: 'Why?' })
  await cursor('afterAgentResponse', { text: 'Because.' })
  await cursor('stop', { status: 'completed' })
  const transcriptPath = join(project, 'events.jsonl')
  writeFileSync(
    transcriptPath,
    JSON.stringify({ type: 'assistant.message', data: { content: 'Therefore.' } }),
  )
  const copilot = (event: string, more: object) =>
    play('copilot', event, { sessionId: 'p1', cwd: project, ...more })
  await copilot('userPromptSubmitted', { prompt: 'And why that?' })
  await copilot('agentStop', { transcriptPath })
  expect(
    inputs().map(({ user_message, agent_report, client }) => [user_message, agent_report, client]),
  ).toEqual([
    ['Why?', 'Because.', 'cursor-hook'],
    ['And why that?', 'Therefore.', 'copilot-hook'],
  ])
})

/** As many commands with much output as fill the journal of a session. */
const fillJournal = (session: string) => {
  const run = { command: 'npm run build', exitCode: 0, output: 'x y '.repeat(2000) }
  for (let count = 0; count < 300; count++) note(session, { run })
}

test('what was said is kept after however many commands, in this exchange and in the next', async () => {
  const cursor = (event: string, more: object = {}) =>
    play('cursor', event, { conversation_id: 'u1', workspace_roots: [project], ...more })
  for (const reply of ['Because.', 'Therefore.']) {
    await cursor('beforeSubmitPrompt', { prompt: 'Why?' })
    fillJournal('u1')
    await cursor('afterAgentResponse', { text: reply })
    await cursor('stop', { status: 'completed' })
  }
  expect(inputs().map(({ agent_report }) => agent_report)).toEqual(['Because.', 'Therefore.'])
})

test('after an exchange that was interrupted, an answer stands under its own question', async () => {
  await codex('UserPromptSubmit', { prompt: 'Delete the old tables' })
  fillJournal('s1')
  await exchange('What does this file do?', 'It reads the settings.')
  expect(inputs().map(({ user_message }) => user_message)).toEqual(['What does this file do?'])
})

test('switched off, nothing is noted and nothing is kept', async () => {
  vi.stubEnv('KVAULT_HOOKS', '-capture')
  await exchange('Do not keep this')
  expect(waitingFiles()).toEqual([])
  expect(readdirSync(join(home, 'sessions')).filter((name) => name.endsWith('.jsonl'))).toEqual([])
})

test('if an exchange cannot be written, what happened in it is in the next, and no half of a file stays', async () => {
  await command('npm test', '1 failed', 1)
  const spool = join(home, 'spool')
  writeFileSync(spool, 'no folder')
  await exchange('Mend the tests, please')
  expect(lastRun('codex', 'capture')?.error).toBeDefined()
  rmSync(spool)
  await exchange('Once more, please')
  const [input, ...others] = inputs()
  expect(others).toEqual([])
  expect(input).toMatchObject({ user_message: 'Once more, please' })
  expect(input?.meta.activity.commands).toMatchObject([{ command: 'npm test', exit_code: 1 }])
})
