import type { Happening, HookAgent, Payload } from '../occasion.ts'
import { asAdditionalContext, begun, exitCodeIn, outputOf, partOf, textOf } from './payload.ts'

const SHELLS = new Set(['Bash', 'PowerShell'])
const EDITORS = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit'])

/**
 * Events whose answer reaches the model. The output of PreCompact becomes an instruction for the summary, so it
 * prints nothing.
 */
const INJECTED = new Set(['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'PostToolUseFailure'])

/** Sources of prompts from a person. The client makes other prompts itself: a timer, a finished task, another session. */
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
  // In the background from the start, or moved there by the person or by a time limit.
  const { backgroundTaskId } = partOf(payload.tool_response)
  if (input.run_in_background === true || textOf(backgroundTaskId)) return begun(command)
  return { kind: 'command', run: { command, exitCode: 0, output: outputOf(payload.tool_response) } }
}

const FIRST_LINE = /^Exit code (\d{1,3})(?:\r?\n|$)/

/** A failed command comes as text: the exit code in the first line, then the output. */
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
  PostToolUse: used,
  PostToolUseFailure: failed,
  PreCompact: () => ({ kind: 'compact' }),
  Stop: stopped,
  SessionEnd: () => ({ kind: 'end' }),
}

export const claudeCode: HookAgent = {
  name: 'claude-code',
  read: (event, payload) => {
    // Cursor executes these hooks too, beside its own, and would get everything twice.
    if (payload.cursor_version !== undefined) return undefined
    const happening = READERS[event]?.(payload)
    return happening && { ...happening, sessionId: textOf(payload.session_id), folder: textOf(payload.cwd) }
  },
  inject: (event, text) => (INJECTED.has(event) ? asAdditionalContext(event, text) : undefined),
}
