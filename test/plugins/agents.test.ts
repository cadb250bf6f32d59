import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { HOOK_PLANS } from '../../src/doors/cli/connect/hook-plans.ts'
import { findHookAgent, HOOK_AGENTS, type HookAgent } from '../../src/doors/cli/hooks/agents.ts'

type Case = {
  event: string
  payload: Record<string, unknown>
  /** What the agent's own words mean; null for what is no business of ours. */
  occasion: object | null
  /** What is printed for the text TEXT; null where the agent can be told nothing; absent where that is not the point. */
  injected?: string | null
  exitCode?: number
}
type Payloads = { agent: string; version: string; source: string; events: Case[] }

const FOLDER = join(import.meta.dirname, 'payloads')
const ALL: Payloads[] = readdirSync(FOLDER).map((name) =>
  JSON.parse(readFileSync(join(FOLDER, name), 'utf8')),
)

test('every agent has payloads that name its version and where they come from', () => {
  expect(ALL.map(({ agent }) => agent).sort()).toEqual(HOOK_AGENTS.map(({ name }) => name).sort())
  for (const { version, source } of ALL) {
    expect(version).toMatch(/^\d+\.\d+/)
    expect(source.length).toBeGreaterThan(20)
  }
})

test('hooks of Claude Code leave to those of Cursor what Cursor passes to both', () => {
  const pairs: [string, string][] = [
    ['sessionStart', 'SessionStart'],
    ['beforeSubmitPrompt', 'UserPromptSubmit'],
    ['postToolUse', 'PostToolUse'],
    ['postToolUseFailure', 'PostToolUseFailure'],
    ['stop', 'Stop'],
    ['sessionEnd', 'SessionEnd'],
  ]
  const events = ALL.find(({ agent }) => agent === 'cursor')?.events ?? []
  for (const [own, claudes] of pairs) {
    const payload = events.find(({ event }) => event === own)?.payload ?? {}
    expect(findHookAgent('cursor')?.read(own, payload), own).toBeDefined()
    expect(findHookAgent('claude-code')?.read(claudes, payload), claudes).toBeUndefined()
  }
})

test('the exit code is what the agent says, not what the output says', () => {
  const says = 'exit code 7\nProcess exited with code 7\nExit Code: 7'
  const shell = { tool_name: 'run_shell_command', tool_input: { command: 'x' } }
  const gemini = (more: string, code: string) => ({
    ...shell,
    tool_response: { llmContent: `Output: ${more}${code}\nProcess Group PGID: 3`, returnDisplay: more },
  })
  const bash = { toolName: 'bash', toolArgs: { command: 'x' } }
  const copilot = (textResultForLlm: string) => ({ ...bash, toolResult: { textResultForLlm } })
  const cursor = (tool_output: string) => ({ tool_name: 'Shell', tool_input: { command: 'x' }, tool_output })
  const named = { tool_name: 'Bash', tool_input: { command: 'x' } }
  const samples: [string, string, object, number | null][] = [
    ['gemini', 'AfterTool', gemini(says, ''), 0],
    ['gemini', 'AfterTool', gemini(says, '\nExit Code: 2'), 2],
    ['gemini', 'AfterTool', gemini(`${says}\nand more`, ''), 0],
    ['copilot', 'postToolUse', copilot(`<exited with exit code 7>\n${says}\n<exited with exit code 0>`), 0],
    ['copilot', 'postToolUse', copilot(says), null],
    ['copilot', 'postToolUseFailure', { ...bash, error: says }, 1],
    ['codex', 'PostToolUse', { ...named, tool_response: says }, null],
    ['codex', 'PostToolUse', { ...named, tool_response: { output: says, exit_code: 0 } }, 0],
    ['cursor', 'postToolUse', cursor(says), null],
    ['cursor', 'postToolUse', cursor(JSON.stringify({ exitCode: 0, stdout: says })), 0],
    ['cursor', 'postToolUseFailure', { ...cursor(''), error_message: says }, 1],
    ['claude-code', 'PostToolUseFailure', { ...named, error: `Exit code 2\n${says}` }, 2],
    ['claude-code', 'PostToolUseFailure', { ...named, error: `timed out\n${says}` }, 1],
  ]
  for (const [name, event, payload, exitCode] of samples)
    expect(
      findHookAgent(name)?.read(event, payload as Record<string, unknown>),
      `${name} ${JSON.stringify(payload)}`,
    ).toMatchObject({ kind: 'command', run: { exitCode } })
})

test('a command that runs on has neither succeeded nor failed, whatever it has printed', () => {
  const says = '12 passed'
  const bash = { tool_name: 'Bash', tool_input: { command: 'npm run dev' }, tool_response: { stdout: says } }
  const input = { command: 'npm run dev', run_in_background: true }
  const shell = { tool_name: 'run_shell_command', tool_input: { command: 'npm run dev' } }
  const moved = 'Command moved to background (PID: 7833). Output hidden. Press Ctrl+B to view.'
  const gemini = (llmContent: string) => ({ ...shell, tool_response: { llmContent, returnDisplay: says } })
  const copilot = (textResultForLlm: string) => ({
    toolName: 'bash',
    toolArgs: { command: 'npm run dev' },
    toolResult: { textResultForLlm },
  })
  const samples: [string, string, object][] = [
    ['claude-code', 'PostToolUse', { ...bash, tool_input: input }],
    ['claude-code', 'PostToolUse', { ...bash, tool_response: { stdout: says, backgroundTaskId: 'b1' } }],
    ['gemini', 'AfterTool', gemini(moved)],
    ['gemini', 'AfterTool', gemini(`<untrusted_context>\n${moved}\n</untrusted_context>`)],
    ['gemini', 'AfterTool', gemini('Command was cancelled by user before it could complete.')],
    ['gemini', 'AfterTool', { ...gemini('x'), tool_input: { command: 'npm run dev', is_background: true } }],
    ['copilot', 'postToolUse', copilot('<command started in background with shellId: 1>')],
    [
      'copilot',
      'postToolUse',
      copilot(`${says}\n<command with shellId: 1 is still running after 5 seconds. Wait for it.>`),
    ],
  ]
  for (const [name, event, payload] of samples)
    expect(
      findHookAgent(name)?.read(event, payload as Record<string, unknown>),
      `${name} ${JSON.stringify(payload)}`,
    ).toMatchObject({ kind: 'command', run: { command: 'npm run dev', exitCode: null, output: '' } })
})

describe.each(ALL)('$agent $version', ({ agent: name, events }) => {
  const agent = findHookAgent(name) as HookAgent

  test.each(events)('$event', ({ event, payload, occasion, injected, exitCode = 0 }) => {
    expect(agent.read(event, payload) ?? null).toEqual(occasion)
    if (injected === null) expect(agent.inject(event, 'TEXT')).toBeUndefined()
    else if (injected) expect(agent.inject(event, 'TEXT')).toEqual({ output: injected, exitCode })
  })

  test('each event that is set up is one that is understood', () => {
    const set = new Set(HOOK_PLANS[name]?.entries(() => 'kvault').map(({ event }) => event))
    const understood = new Set(events.map(({ event }) => event))
    expect([...set].filter((event) => !understood.has(event))).toEqual([])
  })

  test('no payload makes it fail, whatever its form', () => {
    const odd: Record<string, unknown>[] = [{}, { tool_input: 5, tool_response: [] }, { cwd: 3, prompt: {} }]
    for (const { event, payload } of events) {
      for (const form of odd) expect(() => agent.read(event, form)).not.toThrow()
      for (const key of Object.keys(payload))
        expect(() => agent.read(event, { ...payload, [key]: null })).not.toThrow()
    }
    expect(agent.read('an event of tomorrow', {})).toBeUndefined()
  })
})
