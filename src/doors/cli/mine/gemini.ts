import { basename, dirname, join } from 'node:path'
import type { Step } from '../../../features/mining/rules/session.ts'
import { geminiFolder } from '../clients/client.ts'
import { AFTER_OUTPUT, exitCodeAfter, NOT_ENDED, personsWords } from '../hooks/agents/gemini.ts'
import {
  filesBelow,
  isJson,
  type Json,
  listAt,
  readJson,
  readLines,
  readText,
  textAt,
} from './read-bounded.ts'
import { begun, edited, ran, said, type Transcript, type TranscriptReader } from './transcript.ts'

/** `~/.gemini/tmp/<project>/chats/session-….jsonl`, written by Gemini CLI; by its earlier versions `session-….json`. */
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

/** What Gemini CLI says in the person's name before the first prompt. */
const INSERTED = /^\s*<session_context>/

function stepsIn(message: unknown): Step[] {
  if (!isJson(message)) return []
  const words = textOf(message.content)
  if (message.type === 'gemini')
    return [...listAt(message, 'toolCalls').flatMap(stepsOf), ...said('agent', words)]
  if (message.type !== 'user' || INSERTED.test(words)) return []
  // With the text of files that the person mentioned, the content is longer than what they wrote.
  const written = textOf(message.displayContent) || words
  return said('person', personsWords(written) ?? '')
}

type Session = { sessionId: string | undefined; messages: unknown[] }

/**
 * A line is the head of the session, a message, a message again with what was added to it, a way back to before a
 * message, or a change of the head. Such a change may replace all messages by a summary of them; it is ignored, because
 * the commands are not in it.
 */
function sessionIn(lines: readonly Json[]): Session {
  const messages = new Map<string, Json>()
  for (const line of lines) {
    const [id, rewound] = [textAt(line, 'id'), textAt(line, '$rewindTo')]
    if (id !== undefined) messages.set(id, line)
    if (rewound === undefined) continue
    const ids = [...messages.keys()]
    // Gemini CLI, too, goes back to the start if it does not find the message.
    for (const undone of ids.slice(Math.max(0, ids.indexOf(rewound)))) messages.delete(undone)
  }
  return { sessionId: textAt(lines[0], 'sessionId'), messages: [...messages.values()] }
}

function sessionOf(file: string): Session {
  if (file.endsWith('.jsonl')) return sessionIn(readLines(file))
  const session = readJson(file)
  return { sessionId: textAt(session, 'sessionId'), messages: listAt(session, 'messages') }
}

/** Earlier versions named the project only by a hash. */
const projectOf = (file: string): string | undefined =>
  readText(join(dirname(dirname(file)), '.project_root')).trim() || undefined

function read(file: string): Transcript | undefined {
  const { sessionId, messages } = sessionOf(file)
  return sessionId === undefined
    ? undefined
    : { sessionId, folder: projectOf(file), steps: messages.flatMap(stepsIn) }
}

/** Logs of the same name are in another folder, and subagents have other names. */
const find = () =>
  filesBelow(root(), (name) => /^session-.+\.jsonl?$/.test(name)).filter(
    ({ file }) => basename(dirname(file)) === 'chats',
  )

export const gemini: TranscriptReader = { agent: 'gemini', find, read }
