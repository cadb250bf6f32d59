import { join } from 'node:path'
import type { Step } from '../../../features/mining/rules/session.ts'
import { folderOf } from '../clients/client.ts'
import { filesBelow, isJson, type Json, jsonIn, listAt, readLines, textAt } from './read-bounded.ts'
import { begun, deleted, edited, ran, said, type Transcript, type TranscriptReader } from './transcript.ts'

/** `~/.codex/sessions/<year>/<month>/<day>/rollout-….jsonl`, written by Codex CLI. */
const root = () => join(folderOf('CODEX_HOME', '.codex'), 'sessions')

const SHELLS = new Set(['shell', 'exec_command', 'shell_command', 'local_shell', 'container.exec'])
const LONGEST_HEAD = 1000
const SPOKEN_CODE = /^(?:Process exited with code|Exit code:) (-?\d{1,3})$/m
/** The command goes on; a later call of another tool asks how it ended. */
const RUNS_ON = /^Process running with session ID \d{1,10}$/m
const OUTPUT = /^Output:\n/m
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

type Result = { exitCode: number | null; text: string; runsOn?: boolean }

function resultOf(output: unknown): Result {
  const object = isJson(output) ? output : jsonIn(output)
  if (isJson(object) && isJson(object.metadata)) {
    const code = object.metadata.exit_code
    return { exitCode: typeof code === 'number' ? code : null, text: textAt(object, 'output') ?? '' }
  }
  const text = typeof output === 'string' ? output : (textAt(output, 'content') ?? '')
  const at = OUTPUT.exec(text)
  // What Codex says comes before the output, which may speak of exit codes too.
  const head = text.slice(0, Math.min(at?.index ?? LONGEST_HEAD, LONGEST_HEAD))
  const code = SPOKEN_CODE.exec(head)?.[1]
  return {
    exitCode: code === undefined ? null : Number(code),
    text: at ? text.slice(at.index + at[0].length) : text,
    runsOn: RUNS_ON.test(head),
  }
}

const patchedFiles = (patch: string): Step[] =>
  [...patch.slice(0, 200_000).matchAll(PATCHED)].map(([, kind, file = '']) =>
    kind === 'Delete' ? deleted(file) : edited(file),
  )

function stepsOf(call: Json, output: unknown): Step[] {
  const name = textAt(call, 'name') ?? (call.type === 'local_shell_call' ? 'local_shell' : '')
  const given = jsonIn(call.arguments) ?? call.action
  const patch = textAt(call, 'input') ?? textAt(given, 'input') ?? ''
  const { exitCode, text, runsOn } = resultOf(output)
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
const OUTPUTS = new Set(['function_call_output', 'custom_tool_call_output'])

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
    const call = OUTPUTS.has(kind) ? calls.get(String(payload.call_id)) : undefined
    if (call) steps.push(...stepsOf(call, payload.output))
  }
  return sessionId === undefined ? undefined : { sessionId, folder, steps }
}

export const codex: TranscriptReader = {
  agent: 'codex',
  find: () => filesBelow(root(), (name) => name.startsWith('rollout-') && name.endsWith('.jsonl')),
  read,
}
