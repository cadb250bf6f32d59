import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { opencodePlugin } from '../../src/doors/cli/connect/hook-plans.ts'

type Part = { id?: string; messageID?: string; type: string; text: string; synthetic?: boolean }
type Message = { message: { id: string }; parts: Part[] }
type Tool = { output: string; metadata: { exit?: number } }
type Hooks = {
  'chat.message': (input: { sessionID: string }, output: Message) => Promise<void>
  'tool.execute.after': (input: object, output: Tool) => Promise<void>
  'experimental.session.compacting': (
    input: { sessionID: string },
    output: { context: string[] },
  ) => Promise<void>
  event: (input: { event: { type: string; properties: { sessionID: string } } }) => Promise<void>
}
type Plugin = { KnowledgeVault: (input: object) => Promise<Hooks> }

let folder: string
let hooks: Hooks

/** A hook that writes down what it was called with, and says its event. */
const COMMAND = `
import { appendFileSync, readFileSync } from 'node:fs'
const [, , , agent, event] = process.argv
appendFileSync(new URL('calls.jsonl', import.meta.url), JSON.stringify({ agent, event, payload: JSON.parse(readFileSync(0, 'utf8')) }) + '\\n')
if (event !== 'session.idle') process.stdout.write(JSON.stringify({ text: 'vault: ' + event }))
`

const messages = [
  { info: { role: 'user' }, parts: [{ type: 'text', text: 'Why?' }] },
  {
    info: { role: 'assistant' },
    parts: [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'Because.' },
    ],
  },
]

/** What opencode has of the session. */
let kept: typeof messages = []

async function load(command: string[]): Promise<Hooks> {
  const file = join(folder, `plugin-${command.length}.mjs`)
  writeFileSync(file, opencodePlugin(command))
  const { KnowledgeVault }: Plugin = await import(/* @vite-ignore */ pathToFileURL(file).href)
  const client = { session: { messages: async () => ({ data: kept }) } }
  return KnowledgeVault({ client, directory: '/home/dev/app' })
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-opencode-'))
  writeFileSync(join(folder, 'hook.mjs'), COMMAND)
  hooks = await load([process.execPath, join(folder, 'hook.mjs')])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Call = { agent: string; event: string; payload: Record<string, unknown> }
const calls = (): Call[] =>
  readFileSync(join(folder, 'calls.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
const where = { sessionID: 'ses_1', directory: '/home/dev/app' }

test('the first message of a session also gets the start; the words of the person do not change', async () => {
  const said = { type: 'text', text: 'Why is it red?' }
  const output: Message = {
    message: { id: 'msg_1' },
    parts: [said, { type: 'text', text: 'x', synthetic: true }],
  }
  await hooks['chat.message']({ sessionID: 'ses_1' }, output)
  expect(output.parts[0]).toEqual(said)
  expect(output.parts.slice(2).map(({ text, synthetic, messageID }) => [text, synthetic, messageID])).toEqual(
    [
      ['vault: session.created', true, 'msg_1'],
      ['vault: chat.message', true, 'msg_1'],
    ],
  )
  expect(new Set(output.parts.slice(2).map(({ id }) => id)).size).toBe(2)
  await hooks['chat.message']({ sessionID: 'ses_1' }, { message: { id: 'msg_2' }, parts: [said] })
  expect(calls()).toEqual([
    { agent: 'opencode', event: 'session.created', payload: { ...where, resumed: false } },
    { agent: 'opencode', event: 'chat.message', payload: { ...where, prompt: 'Why is it red?' } },
    { agent: 'opencode', event: 'chat.message', payload: { ...where, prompt: 'Why is it red?' } },
  ])
  kept = messages
  await hooks['chat.message']({ sessionID: 'ses_0' }, { message: { id: 'msg_3' }, parts: [said] })
  expect(calls()[3]).toMatchObject({ event: 'session.created', payload: { resumed: true } })
})

test('a command, a compaction and the end of an exchange', async () => {
  const tool: Tool = { output: 'boom', metadata: { exit: 1 } }
  const args = { command: 'npm test' }
  await hooks['tool.execute.after']({ tool: 'bash', sessionID: 'ses_1', callID: 'c', args }, tool)
  expect(tool.output).toBe('boom\n\nvault: tool.execute.after')
  const compacting = { context: [] as string[] }
  await hooks['experimental.session.compacting']({ sessionID: 'ses_1' }, compacting)
  expect(compacting.context).toEqual(['vault: session.compacting'])
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const ended = hooks.event({ event: { type: 'session.idle', properties: { sessionID: 'ses_1' } } })
  // The end of an exchange is kept on a slow machine too.
  await vi.advanceTimersByTimeAsync(10_000)
  await ended
  vi.useRealTimers()
  await hooks.event({ event: { type: 'file.edited', properties: { sessionID: 'ses_1' } } })
  expect(calls().slice(-3)).toEqual([
    {
      agent: 'opencode',
      event: 'tool.execute.after',
      payload: { ...where, tool: 'bash', args, output: 'boom', exitCode: 1 },
    },
    { agent: 'opencode', event: 'session.compacting', payload: where },
    { agent: 'opencode', event: 'session.idle', payload: { ...where, reply: 'Because.' } },
  ])
})

test('a hook has the time that KVAULT_HOOK_WAIT_MS gives it', async () => {
  const tool: Tool = { output: 'boom', metadata: { exit: 1 } }
  const args = { command: 'npm test' }
  vi.stubEnv('KVAULT_HOOK_WAIT_MS', '20000')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const ended = hooks['tool.execute.after']({ tool: 'bash', sessionID: 'ses_1', callID: 'c', args }, tool)
  await vi.advanceTimersByTimeAsync(20_000)
  await ended
  vi.useRealTimers()
  vi.unstubAllEnvs()
  expect(tool.output).toBe('boom\n\nvault: tool.execute.after')
})

/** One letter, in two writes that do not come together. */
const HALVES = `
const bytes = Buffer.from(JSON.stringify({ text: 'vault: \u20ac' }))
const at = bytes.indexOf(0xe2) + 1
process.stdout.write(bytes.subarray(0, at), () => setImmediate(() => process.stdout.write(bytes.subarray(at))))
process.stdin.resume()
`

test('a letter that arrives in two parts is one letter', async () => {
  writeFileSync(join(folder, 'halves.mjs'), HALVES)
  const { 'tool.execute.after': after } = await load([
    process.execPath,
    '--no-warnings',
    join(folder, 'halves.mjs'),
  ])
  const tool: Tool = { output: 'boom', metadata: { exit: 1 } }
  await after({ tool: 'bash', sessionID: 'ses_1', callID: 'c', args: { command: 'npm test' } }, tool)
  expect(tool.output).toBe('boom\n\nvault: \u20ac')
})

test('a command that is not there costs nothing', async () => {
  const without = await load([join(folder, 'none')])
  const output: Message = { message: { id: 'msg_1' }, parts: [{ type: 'text', text: 'Why is it red?' }] }
  await without['chat.message']({ sessionID: 'ses_2' }, output)
  expect(output.parts).toHaveLength(1)
})
