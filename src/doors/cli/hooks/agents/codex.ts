import type { Happening, HookAgent, Payload } from '../occasion.ts'
import { asAdditionalContext, exitCodeOf, outputOf, partOf, textOf } from './payload.ts'

const INJECTED = new Set(['SessionStart', 'UserPromptSubmit', 'PostToolUse'])

/** `*** Update File: src/a.ts`, in the patch that the agent applies. */
const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.{1,500})$/gm

function started({ source }: Payload): Happening {
  if (source === 'compact') return { kind: 'start', after: 'compaction' }
  return { kind: 'start', after: source === 'resume' ? 'pause' : 'nothing' }
}

/** Codex passes the output of a command as plain text, without the exit code; the capture finds that in the transcript. */
function used(payload: Payload): Happening | undefined {
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

function happening(event: string, payload: Payload): Happening | undefined {
  const prompt = textOf(payload.prompt)
  if (event === 'SessionStart') return started(payload)
  if (event === 'UserPromptSubmit') return prompt ? { kind: 'prompt', prompt } : undefined
  if (event === 'PostToolUse') return used(payload)
  if (event === 'PreCompact') return { kind: 'compact' }
  if (event === 'SessionEnd') return { kind: 'end' }
  if (event !== 'Stop' || payload.stop_hook_active === true) return undefined
  const words = { reply: textOf(payload.last_assistant_message), transcript: textOf(payload.transcript_path) }
  return { kind: 'stop', words }
}

export const codex: HookAgent = {
  name: 'codex',
  read: (event, payload) => {
    const found = happening(event, payload)
    return found && { ...found, sessionId: textOf(payload.session_id), folder: textOf(payload.cwd) }
  },
  inject: (event, text) => (INJECTED.has(event) ? asAdditionalContext(event, text) : undefined),
}
