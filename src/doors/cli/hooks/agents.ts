import { join } from 'node:path'
import type { Deed } from '../../../shared/before.ts'
import { settingsFolder, settingsIn } from '../local-files.ts'
import { writePrivate } from '../profile.ts'

/** The moments at which hooks act; a person switches them on and off by these names. */
export const MOMENTS = ['start', 'prompt', 'failure', 'compact', 'before', 'capture'] as const
export type Moment = (typeof MOMENTS)[number]

export type RecallMoment = Exclude<Moment, 'capture'>

/** A command that the agent has run; `exitCode` is null if unknown. */
export type CommandRun = {
  command: string
  exitCode: number | null
  output: string
  /** The agent's id of the call, which also stands in the transcript. */
  id?: string | undefined
}

/** The words of an exchange, as far as the agent passes them. */
export type Words = {
  prompt?: string | undefined
  reply?: string | undefined
  /** A file with the conversation, for agents that pass nothing else. */
  transcript?: string | undefined
}

type Happening =
  /** `after`: a new session, a resumed session, or one that was just compacted. */
  | { kind: 'start'; after: 'nothing' | 'pause' | 'compaction' }
  | { kind: 'prompt'; prompt: string }
  | { kind: 'command'; run: CommandRun }
  | { kind: 'edit'; files: string[] }
  /** The agent is about to change a file or to run a command. */
  | { kind: 'before'; deed: Deed }
  | { kind: 'reply'; reply: string }
  | { kind: 'compact' }
  | { kind: 'stop'; words: Words }
  | { kind: 'end' }

export type Occasion = Happening & { sessionId?: string | undefined; folder?: string | undefined }

export type Answer = { output: string; exitCode: number }

export const SILENCE: Answer = { output: '', exitCode: 0 }

export type HookAgent = {
  name: string
  /** Reads an event; undefined if it does not concern the vault. */
  read: (event: string, payload: Payload) => Occasion | undefined
  /** Returns the answer that injects a text at this event; undefined if the agent does not allow it. */
  inject: (event: string, text: string) => Answer | undefined
}

/** An agent's input to a hook; its form is not trusted. */
type Payload = Record<string, unknown>

export const isPayload = (value: unknown): value is Payload =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

const partOf = (value: unknown): Payload => (isPayload(value) ? value : {})

/** Returns an object; some agents pass arguments as JSON in a string. */
function objectOf(value: unknown): Payload {
  if (typeof value !== 'string') return partOf(value)
  try {
    return partOf(JSON.parse(value))
  } catch {
    return {}
  }
}

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) ? value : undefined

/** The pattern gives the exact place, because the output may mention exit codes too. */
function exitCodeIn(text: string, pattern: RegExp): number | null {
  const found = pattern.exec(text)
  return found ? Number(found[1]) : null
}

function exitCodeOf(result: Payload): number | null {
  const meta = partOf(result.metadata)
  const given = [result.exitCode, result.exit_code, meta.exit, meta.exitCode, meta.exit_code]
  return given.map(numberOf).find((code) => code !== undefined) ?? null
}

/** Returns a command that runs in the background: its result is unknown. */
const begun = (command: string): Happening => ({
  kind: 'command',
  run: { command, exitCode: null, output: '' },
})

function outputOf(result: unknown): string {
  if (typeof result === 'string') return result
  const { stdout, stderr, output, llmContent, content, text } = partOf(result)
  return [stdout, stderr, output, llmContent, content, text]
    .filter((part): part is string => typeof part === 'string' && part !== '')
    .join('\n')
}

/** Returns the answer in Claude Code's form, which other agents use too. */
const asAdditionalContext = (hookEventName: string, additionalContext: string): Answer => ({
  output: JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext } }),
  exitCode: 0,
})

const SHELLS = new Set(['Bash', 'PowerShell'])
const EDITORS = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit'])

/** Without PreCompact, whose output would become an instruction for the summary. */
const INJECTED = new Set([
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
])

/** Prompt sources that are people. Other prompts come from a timer, a finished task or another session. */
const BY_A_PERSON = new Set(['user', 'sdk'])

function started({ source }: Payload): Happening {
  if (source === 'compact') return { kind: 'start', after: 'compaction' }
  return { kind: 'start', after: source === 'resume' || source === 'fork' ? 'pause' : 'nothing' }
}

function used(payload: Payload): Happening | undefined {
  const input = partOf(payload.tool_input)
  const tool = String(payload.tool_name)
  const command = textOf(input.command)
  const file = textOf(input.file_path) ?? textOf(input.notebook_path)
  if (EDITORS.has(tool) && file) return { kind: 'edit', files: [file] }
  if (!SHELLS.has(tool) || !command) return undefined
  // In the background from the start, or moved there by the person or a timeout.
  const { backgroundTaskId } = partOf(payload.tool_response)
  if (input.run_in_background === true || textOf(backgroundTaskId)) return begun(command)
  return { kind: 'command', run: { command, exitCode: 0, output: outputOf(payload.tool_response) } }
}

function aboutToUse(payload: Payload): Happening | undefined {
  const input = partOf(payload.tool_input)
  const tool = String(payload.tool_name)
  const command = textOf(input.command)
  const file = textOf(input.file_path) ?? textOf(input.notebook_path)
  if (EDITORS.has(tool) && file) return { kind: 'before', deed: { file } }
  return SHELLS.has(tool) && command ? { kind: 'before', deed: { command } } : undefined
}

const FIRST_LINE = /^Exit code (\d{1,3})(?:\r?\n|$)/

/** Reads a failed command, whose text has the exit code in the first line and then the output. */
function failed(payload: Payload): Happening | undefined {
  const command = textOf(partOf(payload.tool_input).command)
  const error = textOf(payload.error)
  if (!SHELLS.has(String(payload.tool_name)) || !command || !error || payload.is_interrupt === true)
    return undefined
  return { kind: 'command', run: { command, exitCode: exitCodeIn(error, FIRST_LINE) ?? 1, output: error } }
}

function prompted({ prompt, source }: Payload): Happening | undefined {
  const words = textOf(prompt)
  if (!words || (source !== undefined && !BY_A_PERSON.has(String(source)))) return undefined
  return { kind: 'prompt', prompt: words }
}

function stopped(payload: Payload): Happening | undefined {
  if (payload.stop_hook_active === true) return undefined
  const words = { transcript: textOf(payload.transcript_path), reply: textOf(payload.last_assistant_message) }
  return { kind: 'stop', words }
}

const READERS: Record<string, (payload: Payload) => Happening | undefined> = {
  SessionStart: started,
  UserPromptSubmit: prompted,
  PreToolUse: aboutToUse,
  PostToolUse: used,
  PostToolUseFailure: failed,
  PreCompact: () => ({ kind: 'compact' }),
  Stop: stopped,
  SessionEnd: () => ({ kind: 'end' }),
}

const claudeCode: HookAgent = {
  name: 'claude-code',
  read: (event, payload) => {
    // Cursor also runs Claude Code's hooks, beside its own, and would store everything twice.
    if (payload.cursor_version !== undefined) return undefined
    const happening = READERS[event]?.(payload)
    return happening && { ...happening, sessionId: textOf(payload.session_id), folder: textOf(payload.cwd) }
  },
  inject: (event, text) => (INJECTED.has(event) ? asAdditionalContext(event, text) : undefined),
}

const CODEX_INJECTED = new Set(['SessionStart', 'UserPromptSubmit', 'PostToolUse'])

/** A file in the agent's patch: `*** Update File: src/a.ts`. */
const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.{1,500})$/gm

function codexStart({ source }: Payload): Happening {
  if (source === 'compact') return { kind: 'start', after: 'compaction' }
  return { kind: 'start', after: source === 'resume' ? 'pause' : 'nothing' }
}

/** Reads a tool call. Codex passes no exit code; the capture finds it in the transcript. */
function codexToolUse(payload: Payload): Happening | undefined {
  const input = partOf(payload.tool_input)
  const command = textOf(input.command)
  if (!command) return undefined
  if (payload.tool_name === 'apply_patch')
    return { kind: 'edit', files: [...command.matchAll(PATCHED)].map(([, file = '']) => file) }
  if (payload.tool_name !== 'Bash') return undefined
  const output = outputOf(payload.tool_response)
  const exitCode = exitCodeOf(partOf(payload.tool_response))
  return { kind: 'command', run: { command, exitCode, output, id: textOf(payload.tool_use_id) } }
}

function codexEvent(event: string, payload: Payload): Happening | undefined {
  const prompt = textOf(payload.prompt)
  if (event === 'SessionStart') return codexStart(payload)
  if (event === 'UserPromptSubmit') return prompt ? { kind: 'prompt', prompt } : undefined
  if (event === 'PostToolUse') return codexToolUse(payload)
  if (event === 'PreCompact') return { kind: 'compact' }
  if (event === 'SessionEnd') return { kind: 'end' }
  if (event !== 'Stop' || payload.stop_hook_active === true) return undefined
  const words = { reply: textOf(payload.last_assistant_message), transcript: textOf(payload.transcript_path) }
  return { kind: 'stop', words }
}

const codex: HookAgent = {
  name: 'codex',
  read: (event, payload) => {
    const found = codexEvent(event, payload)
    return found && { ...found, sessionId: textOf(payload.session_id), folder: textOf(payload.cwd) }
  },
  inject: (event, text) => (CODEX_INJECTED.has(event) ? asAdditionalContext(event, text) : undefined),
}

const COPILOT_SHELLS = new Set(['bash', 'powershell'])
/** Matches the last line of the text for the model. */
const LAST_LINE = /<exited with exit code (\d{1,3})>\s*$/
const RUNS_ON = /<command (?:started in|with shellId:) [^\n>]{1,500}>\s*$/
const COPILOT_EDITORS = new Set(['edit', 'create'])

/** A pipe can hide a failure, so `postToolUse` may report a failed command too. */
const COPILOT_INJECTED = new Set(['sessionStart', 'postToolUse'])

/** Exit code with which Copilot shows the hook's output after a failed tool to the model. */
const SHOWN_TO_MODEL = 2

function command(payload: Payload, output: string, exitCode: number | null): Happening | undefined {
  const line = textOf(objectOf(payload.toolArgs).command)
  if (!COPILOT_SHELLS.has(String(payload.toolName)) || !line) return undefined
  if (exitCode === null && RUNS_ON.test(output)) return begun(line)
  return { kind: 'command', run: { command: line, exitCode, output } }
}

function copilotToolUse(payload: Payload): Happening | undefined {
  const file = textOf(objectOf(payload.toolArgs).path)
  if (COPILOT_EDITORS.has(String(payload.toolName)) && file) return { kind: 'edit', files: [file] }
  const output = outputOf(partOf(payload.toolResult).textResultForLlm)
  return command(payload, output, exitCodeIn(output, LAST_LINE))
}

function copilotEvent(event: string, payload: Payload): Happening | undefined {
  const prompt = textOf(payload.prompt)
  const error = textOf(payload.error)
  if (event === 'sessionStart')
    return { kind: 'start', after: payload.source === 'resume' ? 'pause' : 'nothing' }
  if (event === 'userPromptSubmitted') return prompt ? { kind: 'prompt', prompt } : undefined
  if (event === 'postToolUse') return copilotToolUse(payload)
  if (event === 'postToolUseFailure')
    return error ? command(payload, error, exitCodeIn(error, LAST_LINE) ?? 1) : undefined
  if (event === 'preCompact') return { kind: 'compact' }
  if (event === 'agentStop') return { kind: 'stop', words: { transcript: textOf(payload.transcriptPath) } }
  return event === 'sessionEnd' ? { kind: 'end' } : undefined
}

const copilot: HookAgent = {
  name: 'copilot',
  read: (event, payload) => {
    const found = copilotEvent(event, payload)
    return found && { ...found, sessionId: textOf(payload.sessionId), folder: textOf(payload.cwd) }
  },
  inject: (event, text) => {
    if (COPILOT_INJECTED.has(event))
      return { output: JSON.stringify({ additionalContext: text }), exitCode: 0 }
    return event === 'postToolUseFailure' ? { output: text, exitCode: SHOWN_TO_MODEL } : undefined
  },
}

const CURSOR_INJECTED = new Set(['sessionStart', 'postToolUse'])

/** Reads a tool result: JSON in a string, with the exit code as a field. */
function cursorToolUse(payload: Payload): Happening | undefined {
  const command = textOf(partOf(payload.tool_input).command)
  if (payload.tool_name !== 'Shell' || !command) return undefined
  const result = objectOf(payload.tool_output)
  const output = outputOf(result) || outputOf(payload.tool_output)
  return { kind: 'command', run: { command, exitCode: exitCodeOf(result), output } }
}

/** Reads a failure for the capture only: Cursor ignores an answer here and passes no exit code. */
function cursorFailure(payload: Payload): Happening | undefined {
  const command = textOf(partOf(payload.tool_input).command)
  const error = textOf(payload.error_message)
  if (payload.tool_name !== 'Shell' || !command || !error || payload.is_interrupt === true) return undefined
  return { kind: 'command', run: { command, exitCode: 1, output: error } }
}

function cursorEvent(event: string, payload: Payload): Happening | undefined {
  const [prompt, file, reply] = [payload.prompt, payload.file_path, payload.text].map(textOf)
  if (event === 'sessionStart') return { kind: 'start', after: 'nothing' }
  if (event === 'beforeSubmitPrompt') return prompt ? { kind: 'prompt', prompt } : undefined
  if (event === 'postToolUse') return cursorToolUse(payload)
  if (event === 'postToolUseFailure') return cursorFailure(payload)
  if (event === 'afterFileEdit') return file ? { kind: 'edit', files: [file] } : undefined
  if (event === 'afterAgentResponse') return reply ? { kind: 'reply', reply } : undefined
  if (event === 'preCompact') return { kind: 'compact' }
  if (event === 'stop') return { kind: 'stop', words: {} }
  return event === 'sessionEnd' ? { kind: 'end' } : undefined
}

/** Returns the folder of a command; otherwise the first root of the window. */
function folderOf({ cwd, workspace_roots }: Payload): string | undefined {
  return textOf(Array.isArray(workspace_roots) ? workspace_roots[0] : undefined) ?? textOf(cwd)
}

const cursor: HookAgent = {
  name: 'cursor',
  read: (event, payload) => {
    const found = cursorEvent(event, payload)
    const sessionId = textOf(payload.conversation_id) ?? textOf(payload.session_id)
    return found && { ...found, sessionId, folder: folderOf(payload) }
  },
  inject: (event, text) =>
    CURSOR_INJECTED.has(event)
      ? { output: JSON.stringify({ additional_context: text }), exitCode: 0 }
      : undefined,
}

const GEMINI_INJECTED = new Set(['SessionStart', 'BeforeAgent', 'AfterTool'])
const GEMINI_EDITORS = new Set(['write_file', 'replace'])

/** Gemini CLI puts the text of earlier hooks before the person's words. */
const BY_HOOKS = /^\s{0,10}<hook_context>[\s\S]*?<\/hook_context>\s*/

export function personsWords(prompt: unknown): string | undefined {
  let words = textOf(prompt)
  while (words && BY_HOOKS.test(words)) words = textOf(words.replace(BY_HOOKS, ''))
  return words
}

/** The only lines that can follow the exit code. */
export const AFTER_OUTPUT =
  /(?:^|\n)Exit Code: (\d{1,3})(?:\n(?:Signal|Background PIDs|Process Group PGID): [^\n]*)*(?:\n<\/untrusted_context>)?\s*$/

/** Reads `Exit Code: 1` after the output, which is skipped because it may end with such a line. */
export function exitCodeAfter(output: string | undefined, told: string): number | null {
  const start = output === undefined ? -1 : told.indexOf(`Output: ${output}`)
  const after = start < 0 ? told : told.slice(start + `Output: ${output}`.length)
  return exitCodeIn(after, AFTER_OUTPUT)
}

/** Text in place of the output of a command that has not ended. */
export const NOT_ENDED =
  /^(?:<untrusted_context>\s*)?Command (?:moved to background|was (?:automatically )?cancelled)\b/

function geminiToolUse(payload: Payload): Happening | undefined {
  const input = partOf(payload.tool_input)
  const file = textOf(input.file_path)
  const command = textOf(input.command)
  if (GEMINI_EDITORS.has(String(payload.tool_name)) && file) return { kind: 'edit', files: [file] }
  if (payload.tool_name !== 'run_shell_command' || !command) return undefined
  const response = partOf(payload.tool_response)
  const told = outputOf(response.llmContent)
  if (input.is_background === true || NOT_ENDED.test(told)) return begun(command)
  const output = textOf(response.returnDisplay)
  const exitCode =
    exitCodeOf(partOf(response.data)) ?? exitCodeAfter(output, told) ?? (response.error ? 1 : 0)
  return { kind: 'command', run: { command, exitCode, output: output ?? told } }
}

function geminiStop(payload: Payload): Happening | undefined {
  if (payload.stop_hook_active === true) return undefined
  return {
    kind: 'stop',
    words: { prompt: personsWords(payload.prompt), reply: textOf(payload.prompt_response) },
  }
}

/** Reads an event. PreCompress is ignored: it comes before every request, even without a compression. */
function geminiEvent(event: string, payload: Payload): Happening | undefined {
  const prompt = personsWords(payload.prompt)
  if (event === 'SessionStart')
    return { kind: 'start', after: payload.source === 'resume' ? 'pause' : 'nothing' }
  if (event === 'BeforeAgent') return prompt ? { kind: 'prompt', prompt } : undefined
  if (event === 'AfterTool') return geminiToolUse(payload)
  if (event === 'AfterAgent') return geminiStop(payload)
  return event === 'SessionEnd' ? { kind: 'end' } : undefined
}

const gemini: HookAgent = {
  name: 'gemini',
  read: (event, payload) => {
    const found = geminiEvent(event, payload)
    return found && { ...found, sessionId: textOf(payload.session_id), folder: textOf(payload.cwd) }
  },
  inject: (event, text) => (GEMINI_INJECTED.has(event) ? asAdditionalContext(event, text) : undefined),
}

const OPENCODE_INJECTED = new Set([
  'session.created',
  'chat.message',
  'tool.execute.after',
  'session.compacting',
])
const OPENCODE_EDITORS = new Set(['edit', 'write', 'patch', 'multiedit'])

/** Reads a payload of our plugin in plugins/opencode. */
function opencodeToolUse(payload: Payload): Happening | undefined {
  const args = (payload.args ?? {}) as Payload
  const command = textOf(args.command)
  const file = textOf(args.filePath)
  if (OPENCODE_EDITORS.has(String(payload.tool)) && file) return { kind: 'edit', files: [file] }
  if (payload.tool !== 'bash' || !command) return undefined
  return {
    kind: 'command',
    run: { command, exitCode: exitCodeOf(payload), output: outputOf(payload.output) },
  }
}

function opencodeEvent(event: string, payload: Payload): Happening | undefined {
  const prompt = textOf(payload.prompt)
  if (event === 'session.created')
    return { kind: 'start', after: payload.resumed === true ? 'pause' : 'nothing' }
  if (event === 'chat.message') return prompt ? { kind: 'prompt', prompt } : undefined
  if (event === 'tool.execute.after') return opencodeToolUse(payload)
  if (event === 'session.compacting') return { kind: 'compact' }
  return event === 'session.idle' ? { kind: 'stop', words: { reply: textOf(payload.reply) } } : undefined
}

const opencode: HookAgent = {
  name: 'opencode',
  read: (event, payload) => {
    const found = opencodeEvent(event, payload)
    return found && { ...found, sessionId: textOf(payload.sessionID), folder: textOf(payload.directory) }
  },
  inject: (event, text) =>
    OPENCODE_INJECTED.has(event) ? { output: JSON.stringify({ text }), exitCode: 0 } : undefined,
}

function windsurfEvent(event: string, info: Payload): Happening | undefined {
  const [prompt, file, reply] = [info.user_prompt, info.file_path, info.response].map(textOf)
  const command = textOf(info.command_line)
  if (event === 'pre_user_prompt') return prompt ? { kind: 'prompt', prompt } : undefined
  if (event === 'post_run_command')
    return command ? { kind: 'command', run: { command, exitCode: null, output: '' } } : undefined
  if (event === 'post_write_code') return file ? { kind: 'edit', files: [file] } : undefined
  return event === 'post_cascade_response' ? { kind: 'stop', words: { reply } } : undefined
}

/** Windsurf's hooks cannot inject text: they capture, and rules tell the agent to recall. */
const windsurf: HookAgent = {
  name: 'windsurf',
  read: (event, payload) => {
    const info = partOf(payload.tool_info)
    const found = windsurfEvent(event, info)
    return found && { ...found, sessionId: textOf(payload.trajectory_id), folder: textOf(info.cwd) }
  },
  inject: () => undefined,
}

export const HOOK_AGENTS: readonly HookAgent[] = [
  claudeCode,
  codex,
  gemini,
  opencode,
  cursor,
  copilot,
  windsurf,
]

export const findHookAgent = (name: string): HookAgent | undefined =>
  HOOK_AGENTS.find((agent) => agent.name === name)

const MAX_HEAD_LENGTH = 1000
const SPOKEN_CODE = /^(?:Process exited with code|Exit code:) (-?\d{1,3})$/m
/** The command continues; a later tool call asks for its result. */
const CODEX_STILL_RUNNING = /^Process running with session ID \d{1,10}$/m
const OUTPUT = /^Output:\n/m

export const CODEX_OUTPUTS: ReadonlySet<unknown> = new Set([
  'function_call_output',
  'custom_tool_call_output',
])

type CodexResult = { exitCode: number | null; text: string; runsOn?: boolean }

const plain = (value: unknown): string => (typeof value === 'string' ? value : '')

function codexResultText(output: unknown): string {
  if (Array.isArray(output)) return output.map((part) => plain(partOf(part).text)).join('\n')
  return plain(isPayload(output) ? output.content : output)
}

/** Reads the output of a tool call in a Codex session, in any of its three forms. */
export function codexResult(output: unknown): CodexResult {
  const object = objectOf(output)
  if (isPayload(object.metadata)) return { exitCode: exitCodeOf(object), text: plain(object.output) }
  const text = codexResultText(output)
  const at = OUTPUT.exec(text)
  // Codex's own lines come first; the output may mention exit codes too.
  const head = text.slice(0, Math.min(at?.index ?? MAX_HEAD_LENGTH, MAX_HEAD_LENGTH))
  const code = SPOKEN_CODE.exec(head)?.[1]
  return {
    exitCode: code === undefined ? null : Number(code),
    text: at ? text.slice(at.index + at[0].length) : text,
    runsOn: CODEX_STILL_RUNNING.test(head),
  }
}

/** `all`, an agent (`codex`), a moment (`prompt`), or a moment of one agent (`codex:prompt`). */
type Switch = string

const file = () => join(settingsFolder(), 'hooks.json')

export const isSwitch = (name: string): boolean => {
  const agents = HOOK_AGENTS.map((agent) => agent.name)
  const [first = '', second] = name.split(':')
  const moments: readonly string[] = MOMENTS
  if (second !== undefined) return agents.includes(first) && moments.includes(second)
  return name === 'all' || agents.includes(name) || moments.includes(name)
}

/** Returns what this person has switched off. If the file is unreadable, everything is off. */
export function personsSwitches(): { off: Switch[]; unreadable?: string } {
  const settings = settingsIn(file())
  const off = settings === null ? null : (settings?.off ?? [])
  if (!Array.isArray(off)) return { off: ['all'], unreadable: file() }
  return { off: off.filter((item) => typeof item === 'string') }
}

export const saveSwitches = (off: readonly Switch[]): void =>
  writePrivate(file(), `${JSON.stringify({ off: [...new Set(off)].sort() }, null, 2)}\n`)

/** Returns the shell's switches: `KVAULT_HOOKS=off`, or names such as `KVAULT_HOOKS=-prompt,-codex`. */
function switchesOfShell(): Switch[] {
  const given = (process.env.KVAULT_HOOKS ?? '').trim()
  if (/^(?:off|0|false)$/i.test(given)) return ['all']
  return given
    .split(/[\s,]+/)
    .filter((part) => part.startsWith('-'))
    .map((part) => part.slice(1))
}

export function isOff(off: readonly Switch[], agent: string, moment: Moment): boolean {
  return ['all', agent, moment, `${agent}:${moment}`].some((name) => off.includes(name))
}

export const everySwitch = (ofProject: readonly Switch[]): Switch[] => [
  ...switchesOfShell(),
  ...personsSwitches().off,
  ...ofProject,
]
