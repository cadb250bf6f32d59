import { join } from 'node:path'
import type { Step } from '../../../features/mining/rules/session.ts'
import { folderOf } from '../clients/client.ts'
import { CODEX_OUTPUTS, codexResult } from '../hooks/agents/codex-result.ts'
import { filesBelow, isJson, type Json, jsonIn, listAt, readLines, textAt } from './read-bounded.ts'
import { begun, deleted, edited, ran, said, type Transcript, type TranscriptReader } from './transcript.ts'

/** `~/.codex/sessions/<year>/<month>/<day>/rollout-….jsonl`, written by Codex CLI. */
const root = () => join(folderOf('CODEX_HOME', '.codex'), 'sessions')

const SHELLS = new Set(['shell', 'exec_command', 'shell_command', 'local_shell', 'container.exec'])
const PATCHED = /^\*\*\* (Add|Update|Delete) File: (.{1,500})$/gm
/** Messages that the client writes in the person's name. */
const INSERTED = /^\s*<(?:environment_context|user_instructions|permissions|turn_aborted|skill)/

/** A command is a line, or a list that ends with the line for a shell. */
function commandOf(given: unknown): string {
  const input = isJson(given) ? given : {}
  const command = input.command ?? input.cmd
  if (typeof command === 'string') return command
  if (!Array.isArray(command)) return ''
  const words = command.filter((word) => typeof word === 'string')
  const isShell = /(?:^|[/\\])(?:ba|z|da)?sh$/.test(words[0] ?? '') && words.length > 2
  return isShell ? (words.at(-1) ?? '') : words.join(' ')
}

const patchedFiles = (patch: string): Step[] =>
  [...patch.slice(0, 200_000).matchAll(PATCHED)].map(([, kind, file = '']) =>
    kind === 'Delete' ? deleted(file) : edited(file),
  )

function stepsOf(call: Json, output: unknown): Step[] {
  const name = textAt(call, 'name') ?? (call.type === 'local_shell_call' ? 'local_shell' : '')
  const given = jsonIn(call.arguments) ?? call.action
  const patch = textAt(call, 'input') ?? textAt(given, 'input') ?? ''
  const { exitCode, text, runsOn } = codexResult(output)
  if (name === 'apply_patch') return exitCode === null || exitCode === 0 ? patchedFiles(patch) : []
  if (!SHELLS.has(name)) return []
  const command = commandOf(given)
  if (command.includes('*** Begin Patch')) return exitCode === 0 ? patchedFiles(command) : []
  if (command === '') return []
  return [runsOn ? begun(command) : ran(command, exitCode, text)]
}

const wordsOf = (payload: Json): string =>
  listAt(payload, 'content')
    .map((part) => textAt(part, 'text') ?? '')
    .join('\n')

const CALLS = new Set(['function_call', 'custom_tool_call', 'local_shell_call'])

function read(file: string): Transcript | undefined {
  const steps: Step[] = []
  const calls = new Map<string, Json>()
  let [sessionId, folder]: [string | undefined, string | undefined] = [undefined, undefined]
  for (const { type, payload } of readLines(file)) {
    if (!isJson(payload)) continue
    if (type === 'session_meta') {
      sessionId ??= textAt(payload, 'id')
      folder ??= textAt(payload, 'cwd')
    }
    if (type !== 'response_item') continue
    const kind = String(payload.type)
    const words = kind === 'message' ? wordsOf(payload) : ''
    if (payload.role === 'assistant') steps.push(...said('agent', words))
    if (payload.role === 'user' && !INSERTED.test(words)) steps.push(...said('person', words))
    if (CALLS.has(kind)) calls.set(String(payload.call_id), payload)
    const call = CODEX_OUTPUTS.has(kind) ? calls.get(String(payload.call_id)) : undefined
    if (call) steps.push(...stepsOf(call, payload.output))
  }
  return sessionId === undefined ? undefined : { sessionId, folder, steps }
}

export const codex: TranscriptReader = {
  agent: 'codex',
  find: () => filesBelow(root(), (name) => name.startsWith('rollout-') && name.endsWith('.jsonl')),
  read,
}
