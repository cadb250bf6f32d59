import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writtenFiles } from '../../../test/support/written-files.ts'
import { readSession } from '../../shared/recoveries.ts'
import { claudeCode, codex, filesBelow, gemini, opencode } from './agent-transcripts.ts'

const { folder, write } = writtenFiles('mine')
const lines = (...values: unknown[]) => `${values.map((value) => JSON.stringify(value)).join('\n')}\n`

const BROKEN = "Error: Cannot find module 'left'"
/** What every reader must find in its agent's form of the same session. */
const SAME = {
  sessionId: 's1',
  steps: [
    { kind: 'said', by: 'person', text: 'Mend it' },
    { kind: 'command', command: 'npm test', exitCode: 1 },
    { kind: 'edit', file: '/app/package.json' },
    { kind: 'command', command: 'npm test', exitCode: 0 },
    { kind: 'said', by: 'agent', text: 'I added it.' },
  ],
}

test('Claude Code: tool calls and their results are paired, what a subagent did is left out', () => {
  const call = (id: string, name: string, input: object) => ({
    type: 'assistant',
    sessionId: 's1',
    message: { content: [{ type: 'tool_use', id, name, input }] },
  })
  const result = (id: string, content: unknown, is_error = false) => ({
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: id, content, is_error }] },
  })
  const edit = { file_path: '/app/package.json', old_string: 'a', new_string: 'b' }
  const file = write(
    'claude/s1.jsonl',
    lines(
      { type: 'user', sessionId: 's1', cwd: '/app', message: { content: 'Mend it' } },
      { ...call('x', 'Bash', { command: 'rm -rf /' }), isSidechain: true },
      call('1', 'Bash', { command: 'npm test' }),
      result('1', `Exit code 1\n${BROKEN}`, true),
      call('2', 'Edit', edit),
      result('2', 'The file was updated'),
      call('3', 'Bash', { command: 'rm x' }),
      result('3', 'The user rejected this', true),
      call('4', 'Bash', { command: 'npm test' }),
      result('4', [{ type: 'text', text: '12 passed' }]),
      { type: 'assistant', message: { content: [{ type: 'text', text: 'I added it.' }] } },
    ),
  )
  const read = claudeCode.read(file)
  expect(read).toMatchObject({ ...SAME, folder: '/app' })
  expect(readSession(read ?? { steps: [] }).pairs).toHaveLength(1)
})

test('Codex: commands of both forms, and patches', () => {
  const item = (payload: object) => ({ type: 'response_item', payload })
  const file = write(
    'codex/rollout-1.jsonl',
    lines(
      { type: 'session_meta', payload: { id: 's1', cwd: '/app' } },
      item({
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: '<environment_context>' }],
      }),
      item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Mend it' }] }),
      item({
        type: 'function_call',
        name: 'shell',
        call_id: '1',
        arguments: JSON.stringify({ command: ['bash', '-lc', 'npm test'] }),
      }),
      item({
        type: 'function_call_output',
        call_id: '1',
        output: JSON.stringify({ output: BROKEN, metadata: { exit_code: 1 } }),
      }),
      item({
        type: 'custom_tool_call',
        name: 'apply_patch',
        call_id: '2',
        input: '*** Begin Patch\n*** Update File: /app/package.json\n@@\n*** End Patch',
      }),
      item({ type: 'custom_tool_call_output', call_id: '2', output: 'Done' }),
      item({ type: 'function_call', name: 'exec_command', call_id: '3', arguments: '{"cmd":"npm test"}' }),
      item({
        type: 'function_call_output',
        call_id: '3',
        output: 'Wall time: 1 s\nProcess exited with code 0\nOutput:\n12 passed',
      }),
      item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I added it.' }] }),
    ),
  )
  const read = codex.read(file)
  expect(read).toMatchObject({ ...SAME, folder: '/app' })
  expect(readSession(read ?? { steps: [] }).pairs).toHaveLength(1)
})

test('Gemini CLI: tool calls stand in the message of the agent', () => {
  const call = (name: string, args: object, output: string) => ({
    name,
    args,
    status: 'success',
    result: [{ functionResponse: { response: { output } } }],
  })
  const file = write(
    'gemini/session-1.json',
    JSON.stringify({
      sessionId: 's1',
      messages: [
        { type: 'user', content: [{ text: 'Mend it' }] },
        {
          type: 'gemini',
          content: '',
          toolCalls: [
            call('run_shell_command', { command: 'npm test' }, `Output: ${BROKEN}\nExit Code: 1`),
            call('replace', { file_path: '/app/package.json', old_string: 'a', new_string: 'b' }, 'ok'),
            call('run_shell_command', { command: 'npm test' }, 'Output: 12 passed'),
          ],
        },
        { type: 'gemini', content: 'I added it.' },
      ],
    }),
  )
  const read = gemini.read(file)
  expect(read).toMatchObject({ ...SAME, folder: undefined })
  expect(readSession(read ?? { steps: [] }).pairs).toHaveLength(1)
})

test('OpenCode: a file for each part', () => {
  const at = (name: string, value: object) => write(`opencode/storage/${name}.json`, JSON.stringify(value))
  const tool = (name: string, input: object, output: string, exit?: number) => ({
    type: 'tool',
    tool: name,
    state: { status: 'completed', input, output, metadata: { exit } },
  })
  const file = at('session/p1/s1', { id: 's1', directory: '/app' })
  at('message/s1/m1', { role: 'user' })
  at('message/s1/m2', { role: 'assistant' })
  at('part/m1/a', { type: 'text', text: 'Mend it' })
  at('part/m2/a', tool('bash', { command: 'npm test' }, BROKEN, 1))
  at('part/m2/b', tool('edit', { filePath: '/app/package.json', oldString: 'a', newString: 'b' }, 'ok'))
  at('part/m2/c', tool('bash', { command: 'npm test' }, '12 passed', 0))
  at('part/m2/d', { type: 'text', text: 'I added it.' })
  const read = opencode.read(file)
  expect(read).toMatchObject({ ...SAME, folder: '/app' })
  expect(readSession(read ?? { steps: [] }).pairs).toHaveLength(1)
})

/** Transcripts of one command that fails, an edit, and the same command, which does not end. */
test('a command that runs on in the background is no success', () => {
  const failed = `Exit code 1\n${BROKEN}`
  const claude = (input: object, details: object) => {
    const use = (id: string, name: string, input: object) => ({
      type: 'assistant',
      sessionId: 's1',
      message: { content: [{ type: 'tool_use', id, name, input }] },
    })
    const result = (id: string, content: string, is_error: boolean, toolUseResult: object = {}) => ({
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: id, content, is_error }] },
      toolUseResult,
    })
    return lines(
      use('1', 'Bash', { command: 'npm run dev' }),
      result('1', failed, true),
      use('2', 'Edit', { file_path: '/app/package.json', old_string: 'a', new_string: 'b' }),
      result('2', 'The file was updated', false),
      use('3', 'Bash', { command: 'npm run dev', ...input }),
      result('3', '12 passed', false, details),
    )
  }
  const codexCall = (call_id: string, arguments_: object, output: string) => [
    {
      type: 'response_item',
      payload: {
        type: 'function_call',
        name: 'exec_command',
        call_id,
        arguments: JSON.stringify(arguments_),
      },
    },
    { type: 'response_item', payload: { type: 'function_call_output', call_id, output } },
  ]
  const codexLines = lines(
    { type: 'session_meta', payload: { id: 's1', cwd: '/app' } },
    ...codexCall('1', { cmd: 'npm run dev' }, `Process exited with code 1\nOutput:\n${BROKEN}`),
    ...codexCall('2', { cmd: 'npm install left' }, 'Process exited with code 0\nOutput:\nadded 1 package'),
    ...codexCall(
      '3',
      { cmd: 'npm run dev' },
      'Wall time: 1 s\nProcess running with session ID 42\nOutput:\nExit code: 0\n12 passed',
    ),
  )
  const call = (name: string, args: object, output: string) => ({
    name,
    args,
    status: 'success',
    result: [{ functionResponse: { response: { output } } }],
  })
  const geminiText = (args: object, output: string) =>
    JSON.stringify({
      sessionId: 's1',
      messages: [
        {
          type: 'gemini',
          toolCalls: [
            call('run_shell_command', { command: 'npm run dev' }, `Output: ${BROKEN}\nExit Code: 1`),
            call('replace', { file_path: '/app/package.json', old_string: 'a', new_string: 'b' }, 'ok'),
            call('run_shell_command', { command: 'npm run dev', ...args }, output),
          ],
        },
      ],
    })
  const samples = [
    [claudeCode, claude({ run_in_background: true }, {})],
    [claudeCode, claude({}, { backgroundTaskId: 'b1' })],
    [codex, codexLines],
    [gemini, geminiText({ is_background: true }, 'Output: 12 passed')],
    [gemini, geminiText({}, 'Command moved to background (PID: 7). Output hidden.')],
  ] as const
  for (const [at, [reader, text]] of samples.entries()) {
    const read = reader.read(write(`background/${at}.${reader === gemini ? 'json' : 'jsonl'}`, text))
    expect(read?.steps.at(-1), text).toMatchObject({ command: 'npm run dev', exitCode: null, output: '' })
    expect(readSession(read ?? { steps: [] }).pairs, text).toEqual([])
  }
  const ended = claudeCode.read(write('background/ended.jsonl', claude({}, {})))
  expect(readSession(ended ?? { steps: [] }).pairs).toHaveLength(1)
})

test('files that are broken, hostile or links are passed over', () => {
  const hostile = [
    '',
    'not json',
    'null\n[]\n1\n"x"',
    '{"type":"user","message":null}\n{"type":"assistant","message":{"content":[null,1,"x",{"type":"tool_use"}]}}',
    `{"sessionId":"s","type":"assistant","message":{"content":${'['.repeat(5000)}${']'.repeat(5000)}}}`,
    '{"type":"response_item","payload":{"type":"function_call","call_id":{},"arguments":"{"}}',
    '{"sessionId":1,"messages":{}}',
  ]
  hostile.forEach((text, at) => {
    const file = write(`hostile/rollout-${at}.jsonl`, text)
    for (const reader of [claudeCode, codex, gemini, opencode])
      expect(() => reader.read(file), `${reader.agent}: ${text.slice(0, 40)}`).not.toThrow()
  })
  const before = filesBelow(join(folder, 'hostile'), () => true).length
  symlinkSync('/etc/hostname', join(folder, 'hostile', 'link.jsonl'))
  symlinkSync(folder, join(folder, 'hostile', 'up'))
  expect(filesBelow(join(folder, 'hostile'), () => true)).toHaveLength(before)
})
