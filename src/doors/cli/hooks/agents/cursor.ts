import type { Happening, HookAgent, Payload } from '../occasion.ts'
import { exitCodeOf, objectOf, outputOf, partOf, textOf } from './payload.ts'

const INJECTED = new Set(['sessionStart', 'postToolUse'])

/** The result of a tool is JSON in a string, with the exit code as a field. */
function used(payload: Payload): Happening | undefined {
  const command = textOf(partOf(payload.tool_input).command)
  if (payload.tool_name !== 'Shell' || !command) return undefined
  const result = objectOf(payload.tool_output)
  const output = outputOf(result) || outputOf(payload.tool_output)
  return { kind: 'command', run: { command, exitCode: exitCodeOf(result), output } }
}

/** Cursor ignores an answer here, so this is only for the capture. It names a reason and no exit code. */
function failed(payload: Payload): Happening | undefined {
  const command = textOf(partOf(payload.tool_input).command)
  const error = textOf(payload.error_message)
  if (payload.tool_name !== 'Shell' || !command || !error || payload.is_interrupt === true) return undefined
  return { kind: 'command', run: { command, exitCode: 1, output: error } }
}

function happening(event: string, payload: Payload): Happening | undefined {
  const [prompt, file, reply] = [payload.prompt, payload.file_path, payload.text].map(textOf)
  if (event === 'sessionStart') return { kind: 'start', after: 'nothing' }
  if (event === 'beforeSubmitPrompt') return prompt ? { kind: 'prompt', prompt } : undefined
  if (event === 'postToolUse') return used(payload)
  if (event === 'postToolUseFailure') return failed(payload)
  if (event === 'afterFileEdit') return file ? { kind: 'edit', files: [file] } : undefined
  if (event === 'afterAgentResponse') return reply ? { kind: 'reply', reply } : undefined
  if (event === 'preCompact') return { kind: 'compact' }
  if (event === 'stop') return { kind: 'stop', words: {} }
  return event === 'sessionEnd' ? { kind: 'end' } : undefined
}

/** Only commands have a folder; otherwise the first root of the window is the project. */
function folderOf({ cwd, workspace_roots }: Payload): string | undefined {
  return textOf(Array.isArray(workspace_roots) ? workspace_roots[0] : undefined) ?? textOf(cwd)
}

export const cursor: HookAgent = {
  name: 'cursor',
  read: (event, payload) => {
    const found = happening(event, payload)
    const sessionId = textOf(payload.conversation_id) ?? textOf(payload.session_id)
    return found && { ...found, sessionId, folder: folderOf(payload) }
  },
  inject: (event, text) =>
    INJECTED.has(event) ? { output: JSON.stringify({ additional_context: text }), exitCode: 0 } : undefined,
}
