import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { xdgFolder } from '../../core/user-folders.ts'
import { sanitise } from '../../redaction/redact.ts'
import type { Step } from '../../shared/session.ts'
import { folderOf, geminiFolder, home } from './connect/clients.ts'
import {
  AFTER_OUTPUT,
  CODEX_OUTPUTS,
  codexResult,
  exitCodeAfter,
  NOT_ENDED,
  personsWords,
} from './hooks/agents.ts'
import { bothEnds, outputToRedact, startToRedact } from './hooks/command-result.ts'

/** Limit in bytes: larger files of other programs are skipped. */
const MAX_FILE_BYTES = 64 * 1024 * 1024
const MAX_LINE_LENGTH = 4 * 1024 * 1024
const MAX_FILES = 20_000
const MAX_DEPTH = 6

type Json = Record<string, unknown>

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textAt = (value: unknown, name: string): string | undefined => {
  const found = isJson(value) ? value[name] : undefined
  return typeof found === 'string' ? found : undefined
}

const listAt = (value: unknown, name: string): unknown[] => {
  const found = isJson(value) ? value[name] : undefined
  return Array.isArray(found) ? found : []
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the text; empty if the file is missing, too large, or no regular file. */
function readText(file: string): string {
  try {
    const found = lstatSync(file)
    return found.isFile() && found.size <= MAX_FILE_BYTES ? readFileSync(file, 'utf8') : ''
  } catch {
    return ''
  }
}

export function readJson(file: string): Json | undefined {
  const value = parsed(readText(file))
  return isJson(value) ? value : undefined
}

const readLines = (file: string): Json[] =>
  readText(file)
    .split('\n')
    .flatMap((line) => {
      const value = line === '' || line.length > MAX_LINE_LENGTH ? undefined : parsed(line)
      return isJson(value) ? [value] : []
    })

const jsonIn = (text: unknown): unknown =>
  typeof text === 'string' && text.length <= MAX_LINE_LENGTH ? parsed(text) : undefined

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

export type Stamped = { file: string; stamp: string; changedMs: number }

/** Returns size and time of a file; undefined for a link, which may lead anywhere. */
function stampOf(file: string): Stamped | undefined {
  try {
    const found = lstatSync(file)
    if (!found.isFile()) return undefined
    return { file, stamp: `${found.size}:${Math.floor(found.mtimeMs)}`, changedMs: found.mtimeMs }
  } catch {
    return undefined
  }
}

export function filesBelow(folder: string, fits: (name: string) => boolean, depth = 0): Stamped[] {
  const found: Stamped[] = []
  let entries: { name: string; isDirectory: () => boolean }[] = []
  try {
    entries = readdirSync(folder, { withFileTypes: true })
  } catch {
    return found
  }
  for (const entry of entries) {
    if (found.length >= MAX_FILES) break
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (depth < MAX_DEPTH) found.push(...filesBelow(path, fits, depth + 1))
    } else if (fits(entry.name)) {
      const stamped = stampOf(path)
      if (stamped) found.push(stamped)
    }
  }
  return found
}

type Transcript = {
  sessionId: string
  /** The session's folder; undefined if the agent does not record it. */
  folder: string | undefined
  steps: Step[]
}

export type TranscriptReader = {
  agent: string
  find: () => Stamped[]
  read: (file: string) => Transcript | undefined
}

/** Longer outputs: only the two ends are read. Twice as much is redacted, because a secret's name may be far from it. */
const MAX_OUTPUT_LENGTH = 20_000
/** Longer texts: only the beginning is read. */
const MAX_TEXT_CHARACTERS = 20_000

/** Removes secrets before any cut: half a secret is not recognised. */
const clean = (text: string): string => sanitise(text).text

const cleanStart = (text: string): string => clean(startToRedact(text, MAX_TEXT_CHARACTERS))

export const ran = (command: string, exitCode: number | null, output: string): Step => ({
  kind: 'command',
  command: cleanStart(command),
  exitCode,
  output: bothEnds(clean(outputToRedact(output, 2 * MAX_OUTPUT_LENGTH)), MAX_OUTPUT_LENGTH),
})

/** Returns a command that runs in the background: its result is unknown. */
const begun = (command: string): Step => ran(command, null, '')

const deleted = (file: string): Step => ({ kind: 'edit', file: cleanStart(file), isDeletion: true })

export const edited = (file: string, before?: string, after?: string): Step => ({
  kind: 'edit',
  file: cleanStart(file),
  ...(before === undefined || after === undefined ? {} : { before, after }),
})

export const said = (by: 'person' | 'agent', text: string): Step[] =>
  text.trim() === '' ? [] : [{ kind: 'said', by, text: cleanStart(text) }]

/** `~/.claude/projects/<folder>/<session>.jsonl`, written by Claude Code 2. */
const root = () => join(folderOf('CLAUDE_CONFIG_DIR', '.claude'), 'projects')

const EXIT_CODE = /^(?:Error: )?Exit code (\d{1,3})\n?/

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content
          .map((part) => (textAt(part, 'type') === 'text' ? (textAt(part, 'text') ?? '') : ''))
          .filter((text) => text !== '')
          .join('\n')
      : ''

/** Whether a command runs in the background: from the start, or moved there by the person or a timeout. */
const isInBackground = (input: unknown, details: unknown): boolean =>
  (isJson(input) && input.run_in_background === true) || textAt(details, 'backgroundTaskId') !== undefined

/** Makes a step from a tool call and its result. */
function stepOf(call: Json, result: Json, details: unknown): Step[] {
  const input = call.input
  const hasFailed = result.is_error === true
  const file = textAt(input, 'file_path') ?? textAt(input, 'notebook_path')
  if (call.name === 'Bash') {
    const output = textOf(result.content)
    const code = EXIT_CODE.exec(output)?.[1]
    const command = textAt(input, 'command') ?? ''
    // An error without an exit code: the client or the person refused the command.
    if (command === '' || (hasFailed && code === undefined)) return []
    if (isInBackground(input, details)) return [begun(command)]
    return [ran(command, code === undefined ? 0 : Number(code), output.replace(EXIT_CODE, ''))]
  }
  if (hasFailed || file === undefined) return []
  if (call.name === 'Edit') return [edited(file, textAt(input, 'old_string'), textAt(input, 'new_string'))]
  return ['Write', 'MultiEdit', 'NotebookEdit'].includes(String(call.name)) ? [edited(file)] : []
}

function read(file: string): Transcript | undefined {
  const steps: Step[] = []
  const calls = new Map<string, Json>()
  let [sessionId, folder]: [string | undefined, string | undefined] = [undefined, undefined]
  for (const line of readLines(file)) {
    if (line.isSidechain === true || line.isMeta === true) continue
    sessionId ??= textAt(line, 'sessionId')
    folder ??= textAt(line, 'cwd')
    const { message } = line
    if (line.type === 'assistant') {
      steps.push(...said('agent', textOf(isJson(message) ? message.content : '')))
      for (const part of listAt(message, 'content'))
        if (isJson(part) && part.type === 'tool_use') calls.set(String(part.id), part)
    }
    if (line.type !== 'user') continue
    steps.push(...said('person', textOf(isJson(message) ? message.content : '')))
    for (const part of listAt(message, 'content')) {
      const call =
        isJson(part) && part.type === 'tool_result' ? calls.get(String(part.tool_use_id)) : undefined
      if (call && isJson(part)) steps.push(...stepOf(call, part, line.toolUseResult))
    }
  }
  return sessionId === undefined ? undefined : { sessionId, folder, steps }
}

export const claudeCode: TranscriptReader = {
  agent: 'claude-code',
  find: () => filesBelow(root(), (name) => name.endsWith('.jsonl')),
  read,
}

/** `~/.codex/sessions/<year>/<month>/<day>/rollout-….jsonl`, written by Codex CLI. */
const codexRoot = () => join(folderOf('CODEX_HOME', '.codex'), 'sessions')

const SHELLS = new Set(['shell', 'exec_command', 'shell_command', 'local_shell', 'container.exec'])
const PATCHED = /^\*\*\* (Add|Update|Delete) File: (.{1,500})$/gm
/** Messages that the client writes in the person's name. */
const INSERTED = /^\s*<(?:environment_context|user_instructions|permissions|turn_aborted|skill)/

/** Returns the command: a line, or a list that ends with the shell's line. */
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

function readCodex(file: string): Transcript | undefined {
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
  find: () => filesBelow(codexRoot(), (name) => name.startsWith('rollout-') && name.endsWith('.jsonl')),
  read: readCodex,
}

/** `~/.gemini/tmp/<project>/chats/session-….jsonl` of Gemini CLI; earlier versions wrote `session-….json`. */
const geminiRoot = () => join(geminiFolder(), 'tmp')

const HEAD = /^(?:Command|Directory|Background PIDs|Process Group PGID|Signal): .{0,2000}\n?/gm
/** Precedes the command's own output. */
const BEFORE_OUTPUT = /^\s*(?:<untrusted_context>\s*)?(?:Output|Stdout): /
const END_OF_OUTPUT = /\n<\/untrusted_context>\s*$/
const NONE = /^(?:Output|Error|Stdout|Stderr): \(?(?:none|empty)\)?$/gm

/** Text of a hook about the command; Gemini CLI escapes brackets inside. */
const BY_HOOKS = /\n\n<hook_context>[^<>]*<\/hook_context>$/

const geminiText = (content: unknown): string =>
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

/** Makes a step. The exit code is written only if it is not 0. */
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

function geminiSteps(call: unknown): Step[] {
  if (!isJson(call)) return []
  if (call.name === 'run_shell_command') return commandStep(call)
  const file = textAt(call.args, 'file_path')
  if (file === undefined || call.status !== 'success') return []
  if (call.name === 'replace')
    return [edited(file, textAt(call.args, 'old_string'), textAt(call.args, 'new_string'))]
  return call.name === 'write_file' ? [edited(file)] : []
}

/** Gemini CLI's own text before the first prompt. */
const GEMINI_INSERTED = /^\s*<session_context>/

function stepsIn(message: unknown): Step[] {
  if (!isJson(message)) return []
  const words = geminiText(message.content)
  if (message.type === 'gemini')
    return [...listAt(message, 'toolCalls').flatMap(geminiSteps), ...said('agent', words)]
  if (message.type !== 'user' || GEMINI_INSERTED.test(words)) return []
  // The content may include mentioned files; `displayContent` is what the person wrote.
  const written = geminiText(message.displayContent) || words
  return said('person', personsWords(written) ?? '')
}

type Session = { sessionId: string | undefined; messages: unknown[] }

function sessionIn(lines: readonly Json[]): Session {
  const messages = new Map<string, Json>()
  for (const line of lines) {
    const [id, rewound] = [textAt(line, 'id'), textAt(line, '$rewindTo')]
    if (id !== undefined) messages.set(id, line)
    if (rewound === undefined) continue
    const ids = [...messages.keys()]
    // Like Gemini CLI: an unknown message rewinds to the start.
    for (const undone of ids.slice(Math.max(0, ids.indexOf(rewound)))) messages.delete(undone)
  }
  return { sessionId: textAt(lines[0], 'sessionId'), messages: [...messages.values()] }
}

function sessionOf(file: string): Session {
  if (file.endsWith('.jsonl')) return sessionIn(readLines(file))
  const session = readJson(file)
  return { sessionId: textAt(session, 'sessionId'), messages: listAt(session, 'messages') }
}

/** Returns the project; earlier versions stored only a hash. */
const projectOf = (file: string): string | undefined =>
  readText(join(dirname(dirname(file)), '.project_root')).trim() || undefined

function readGemini(file: string): Transcript | undefined {
  const { sessionId, messages } = sessionOf(file)
  return sessionId === undefined
    ? undefined
    : { sessionId, folder: projectOf(file), steps: messages.flatMap(stepsIn) }
}

/** Returns the session files; logs and subagents have other folders or names. */
const find = () =>
  filesBelow(geminiRoot(), (name) => /^session-.+\.jsonl?$/.test(name)).filter(
    ({ file }) => basename(dirname(file)) === 'chats',
  )

export const gemini: TranscriptReader = { agent: 'gemini', find, read: readGemini }

/** `~/.local/share/opencode/storage` of OpenCode 1: a file for each session, message and part. */
const storage = () =>
  join(xdgFolder(process.env.XDG_DATA_HOME, home('.local', 'share')), 'opencode', 'storage')

const MAX_MESSAGES = 5000
const MAX_PARTS = 500
/** Ids become parts of a path, so other characters are refused (path traversal). */
const ID = /^[A-Za-z0-9_-]{1,100}$/

function toolStep(part: Json): Step[] {
  const state = isJson(part.state) ? part.state : {}
  const file = textAt(state.input, 'filePath')
  if (part.tool === 'bash') {
    const command = textAt(state.input, 'command') ?? ''
    const exit = isJson(state.metadata) ? state.metadata.exit : undefined
    const output = textAt(state, 'output') ?? textAt(state.metadata, 'output') ?? ''
    return command === '' || state.status !== 'completed'
      ? []
      : [ran(command, typeof exit === 'number' ? exit : null, output)]
  }
  if (file === undefined || state.status !== 'completed') return []
  if (part.tool === 'edit')
    return [edited(file, textAt(state.input, 'oldString'), textAt(state.input, 'newString'))]
  return part.tool === 'write' ? [edited(file)] : []
}

function opencodeSteps(from: string, messageId: string, role: unknown): Step[] {
  if (!ID.test(messageId)) return []
  const folder = join(from, 'part', messageId)
  return namesIn(folder)
    .slice(0, MAX_PARTS)
    .flatMap((name) => {
      const part = readJson(join(folder, name))
      if (part?.type === 'tool') return toolStep(part)
      if (part?.type !== 'text' || part.synthetic === true) return []
      return said(role === 'user' ? 'person' : 'agent', textAt(part, 'text') ?? '')
    })
}

/** Reads a session; names of messages and parts sort by time. */
function readOpencode(file: string): Transcript | undefined {
  const session = readJson(file)
  const sessionId = basename(file, '.json')
  if (!session || !ID.test(sessionId)) return undefined
  // storage/session/<project>/<session>.json
  const from = dirname(dirname(dirname(file)))
  const folder = join(from, 'message', sessionId)
  const steps = namesIn(folder)
    .slice(-MAX_MESSAGES)
    .flatMap((name) => opencodeSteps(from, basename(name, '.json'), readJson(join(folder, name))?.role))
  return { sessionId, folder: textAt(session, 'directory'), steps }
}

export const opencode: TranscriptReader = {
  agent: 'opencode',
  find: () => filesBelow(join(storage(), 'session'), (name) => name.endsWith('.json')),
  read: readOpencode,
}
