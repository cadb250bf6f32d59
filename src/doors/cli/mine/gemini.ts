import { join } from 'node:path'
import type { Step } from '../../../features/mining/rules/session.ts'
import { geminiFolder } from '../clients/client.ts'
import { AFTER_OUTPUT, exitCodeAfter, NOT_ENDED } from '../hooks/agents/gemini.ts'
import { filesBelow, isJson, type Json, listAt, readJson, textAt } from './read-bounded.ts'
import { begun, edited, ran, said, type Transcript, type TranscriptReader } from './transcript.ts'

/** `~/.gemini/tmp/<project>/chats/session-….json`, written by Gemini CLI. It names the project only by a hash. */
const root = () => join(geminiFolder(), 'tmp')

const HEAD = /^(?:Command|Directory|Background PIDs|Process Group PGID|Signal): .{0,2000}\n?/gm
/** What stands before the output of the command itself. */
const BEFORE_OUTPUT = /^\s*(?:<untrusted_context>\s*)?(?:Output|Stdout): /
const END_OF_OUTPUT = /\n<\/untrusted_context>\s*$/
const NONE = /^(?:Output|Error|Stdout|Stderr): \(?(?:none|empty)\)?$/gm

/** What a hook said about the command. Gemini CLI escapes the brackets inside. */
const BY_HOOKS = /\n\n<hook_context>[^<>]*<\/hook_context>$/

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map((part) => textAt(part, 'text') ?? '').join('\n')
      : ''

function outputOf(call: Json): string {
  for (const part of listAt(call, 'result')) {
    const response =
      isJson(part) && isJson(part.functionResponse) ? part.functionResponse.response : undefined
    const output = textAt(response, 'output') ?? textAt(response, 'error')
    if (output !== undefined) return output.replace(BY_HOOKS, '')
  }
  return ''
}

/** The exit code is written only if it is not 0. */
function commandStep(call: Json): Step[] {
  const command = textAt(call.args, 'command') ?? ''
  const output = outputOf(call)
  if (command === '' || call.status === 'cancelled') return []
  const isInBackground = isJson(call.args) && call.args.is_background === true
  if (isInBackground || NOT_ENDED.test(output)) return [begun(command)]
  const ended = call.status === 'success' ? 0 : null
  const exitCode = exitCodeAfter(textAt(call, 'resultDisplay'), output) ?? ended
  const text = output.replace(AFTER_OUTPUT, '').replace(END_OF_OUTPUT, '').replaceAll(HEAD, '')
  return [ran(command, exitCode, text.replaceAll(NONE, '').replace(BEFORE_OUTPUT, ''))]
}

function stepsOf(call: unknown): Step[] {
  if (!isJson(call)) return []
  if (call.name === 'run_shell_command') return commandStep(call)
  const file = textAt(call.args, 'file_path')
  if (file === undefined || call.status !== 'success') return []
  if (call.name === 'replace')
    return [edited(file, textAt(call.args, 'old_string'), textAt(call.args, 'new_string'))]
  return call.name === 'write_file' ? [edited(file)] : []
}

function read(file: string): Transcript | undefined {
  const session = readJson(file)
  const sessionId = textAt(session, 'sessionId')
  if (sessionId === undefined) return undefined
  const steps = listAt(session, 'messages').flatMap((message) => {
    if (!isJson(message)) return []
    const words = textOf(message.content)
    if (message.type === 'user') return said('person', words)
    if (message.type !== 'gemini') return []
    return [...listAt(message, 'toolCalls').flatMap(stepsOf), ...said('agent', words)]
  })
  return { sessionId, folder: undefined, steps }
}

export const gemini: TranscriptReader = {
  agent: 'gemini',
  find: () => filesBelow(root(), (name) => name.startsWith('session-') && name.endsWith('.json')),
  read,
}
