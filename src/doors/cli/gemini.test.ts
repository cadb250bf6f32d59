import { expect, test } from 'vitest'
import { writtenFiles } from '../../../test/support/written-files.ts'
import { gemini } from './agent-transcripts.ts'

const { write } = writtenFiles('gemini')

const BROKEN = "Error: Cannot find module 'left'"

test('Gemini CLI: what it writes around an output is not part of it', () => {
  const told = {
    [`Output: ${BROKEN}\nExit Code: 1\nProcess Group PGID: 7`]: [1, BROKEN],
    [`<untrusted_context>\nOutput: ${BROKEN}\nExit Code: 1\n</untrusted_context>`]: [1, BROKEN],
    [`Command: npm test\nDirectory: (root)\nOutput: ${BROKEN}\nError: (none)\nExit Code: 1\nSignal: (none)`]:
      [1, BROKEN],
    [`<untrusted_context>\nOutput: ${BROKEN}\nExit Code: 1\nProcess Group PGID: 7\n</untrusted_context>\n\n<hook_context>From\nthe vault: &lt;b&gt;</hook_context>`]:
      [1, BROKEN],
    '<untrusted_context>\nOutput: 12 passed\nProcess Group PGID: 7\n</untrusted_context>\n\n<hook_context>Well done</hook_context>':
      [0, '12 passed'],
    // The output of the command itself may speak of exit codes.
    'Output: Exit Code: 7\nand more': [0, 'Exit Code: 7\nand more'],
  }
  for (const [output, [exitCode, text]] of Object.entries(told)) {
    const call = {
      name: 'run_shell_command',
      args: { command: 'npm test' },
      status: 'success',
      result: [{ functionResponse: { response: { output } } }],
    }
    const session = { sessionId: 's1', messages: [{ type: 'gemini', toolCalls: [call] }] }
    const [step] = gemini.read(write('gemini/session-2.json', JSON.stringify(session)))?.steps ?? []
    expect(step, output).toMatchObject({ exitCode })
    expect(step?.kind === 'command' && step.output.trim(), output).toBe(text)
  }
})

test('Gemini CLI: an output that ends like a failure is told from one by what the person was shown', () => {
  const shown = 'a log\nExit Code: 7'
  const call = (after: string) => ({
    name: 'run_shell_command',
    args: { command: 'cat log' },
    status: 'success',
    result: [
      { functionResponse: { response: { output: `Output: ${shown}${after}\nProcess Group PGID: 7` } } },
    ],
    resultDisplay: shown,
  })
  const toolCalls = [call(''), call('\nExit Code: 2')]
  const session = { sessionId: 's1', messages: [{ type: 'gemini', toolCalls }] }
  const { steps } = gemini.read(write('gemini/session-3.json', JSON.stringify(session))) ?? {}
  expect(steps).toMatchObject([{ exitCode: 0 }, { exitCode: 2 }])
})

/** The lines that Gemini CLI 0.61 writes, with their fields. */
const timestamp = '2026-11-17T10:39:09.360Z'
const saved = { $set: { lastUpdated: timestamp } }
const tokens = { input: 0, output: 0, cached: 0, thoughts: 0, tool: 0, total: 2 }
const person = (id: string, text: string, more: object = {}) => ({
  id,
  timestamp,
  type: 'user',
  content: [{ text }],
  ...more,
})
const agent = (id: string, content: string, more: object = {}) => ({
  id,
  timestamp,
  type: 'gemini',
  content,
  thoughts: [],
  tokens,
  model: 'gemini-3.1-pro-preview',
  ...more,
})
const tool = (id: string, name: string, args: object, output: string) => ({
  id,
  name,
  args,
  result: [{ functionResponse: { id, name, response: { output } } }],
  status: 'success',
  timestamp,
  resultDisplay: '',
  description: '',
  displayName: name,
  renderOutputAsMarkdown: false,
})
const npmTest = (id: string, output: string) =>
  tool(
    id,
    'run_shell_command',
    { command: 'npm test', description: 'Tests' },
    `<untrusted_context>\nOutput: ${output}\nProcess Group PGID: 4202\n</untrusted_context>`,
  )
const context = person('c', '<session_context>\nThis is the Gemini CLI.\n</session_context>')
const failed = npmTest('t1', `${BROKEN}\nExit Code: 1`)
const mended = tool('t2', 'replace', { file_path: '/app/a.ts', old_string: 'a', new_string: 'b' }, 'ok')
const SESSION = [
  { sessionId: 's1', projectHash: 'f01d', startTime: timestamp, lastUpdated: timestamp, kind: 'main' },
  { $set: { messages: [context], lastUpdated: timestamp } },
  person('1', '<hook_context>From the vault</hook_context>\n\nMend @a.ts', {
    content: [
      { text: '<hook_context>From the vault</hook_context>\n\nMend @a.ts' },
      { text: '\n--- Content from referenced files ---' },
    ],
    displayContent: [{ text: '<hook_context>From the vault</hook_context>\n\nMend @a.ts' }],
  }),
  saved,
  agent('2', ''),
  saved,
  agent('2', '', { toolCalls: [failed] }),
  person('3', '', { content: [{ functionResponse: failed.result[0]?.functionResponse }] }),
  saved,
  agent('4', '', { toolCalls: [mended, npmTest('t3', '12 passed')] }),
  agent('5', 'I mended it.'),
  saved,
]
const STEPS = [
  { kind: 'said', by: 'person', text: 'Mend @a.ts' },
  { kind: 'command', command: 'npm test', exitCode: 1 },
  { kind: 'edit', file: '/app/a.ts' },
  { kind: 'command', command: 'npm test', exitCode: 0 },
  { kind: 'said', by: 'agent', text: 'I mended it.' },
]

const readLinesOf = (name: string, lines: readonly object[]) =>
  gemini.read(write(name, lines.map((line) => `${JSON.stringify(line)}\n`).join('')))

test('lines: a message is written again when something is added, and the project has a file with its folder', () => {
  write('tmp/app/.project_root', '/work/app')
  const read = readLinesOf('tmp/app/chats/session-2026-11-17T10-39-c6d353ad.jsonl', SESSION)
  expect(read).toMatchObject({ sessionId: 's1', folder: '/work/app', steps: STEPS })
  expect(read?.steps).toHaveLength(STEPS.length)
})

test('lines: a summary does not replace the commands, and what was taken back is left out', () => {
  const summary = { $set: { messages: [person('s', '<state_snapshot>All so far</state_snapshot>')] } }
  const later = [person('6', 'Go on'), agent('7', 'Gone on.')]
  const kept = readLinesOf('lines/chats/session-1.jsonl', [...SESSION, summary, ...later])
  expect(kept?.steps.slice(0, STEPS.length)).toMatchObject(STEPS)
  expect(kept?.steps).toHaveLength(STEPS.length + 2)
  const rewound = readLinesOf('lines/chats/session-2.jsonl', [...SESSION, ...later, { $rewindTo: '6' }])
  expect(rewound?.steps).toHaveLength(STEPS.length)
  expect(readLinesOf('lines/chats/session-3.jsonl', [...SESSION, { $rewindTo: 'unknown' }])?.steps).toEqual(
    [],
  )
})
