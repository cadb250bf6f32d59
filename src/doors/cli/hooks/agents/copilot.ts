import type { Happening, HookAgent, Payload } from '../occasion.ts'
import { begun, exitCodeIn, objectOf, outputOf, partOf, textOf } from './payload.ts'

const SHELLS = new Set(['bash', 'powershell'])
/** The last line of the text for the model. */
const LAST_LINE = /<exited with exit code (\d{1,3})>\s*$/
/** Also the last line: `<command started in background with shellId: 1>`, `<command with shellId: 1 is still running …>`. */
const RUNS_ON = /<command (?:started in|with shellId:) [^\n>]{1,500}>\s*$/
const EDITORS = new Set(['edit', 'create'])

/** Commands whose failure a pipe hides come as used, not as failed. */
const INJECTED = new Set(['sessionStart', 'postToolUse'])

/** According to the documentation, the model sees the output of a hook for a failed tool if the hook ends with this code. */
const SHOWN_TO_MODEL = 2

function command(payload: Payload, output: string, exitCode: number | null): Happening | undefined {
  const line = textOf(objectOf(payload.toolArgs).command)
  if (!SHELLS.has(String(payload.toolName)) || !line) return undefined
  if (exitCode === null && RUNS_ON.test(output)) return begun(line)
  return { kind: 'command', run: { command: line, exitCode, output } }
}

function used(payload: Payload): Happening | undefined {
  const file = textOf(objectOf(payload.toolArgs).path)
  if (EDITORS.has(String(payload.toolName)) && file) return { kind: 'edit', files: [file] }
  const output = outputOf(partOf(payload.toolResult).textResultForLlm)
  return command(payload, output, exitCodeIn(output, LAST_LINE))
}

function happening(event: string, payload: Payload): Happening | undefined {
  const prompt = textOf(payload.prompt)
  const error = textOf(payload.error)
  if (event === 'sessionStart')
    return { kind: 'start', after: payload.source === 'resume' ? 'pause' : 'nothing' }
  if (event === 'userPromptSubmitted') return prompt ? { kind: 'prompt', prompt } : undefined
  if (event === 'postToolUse') return used(payload)
  if (event === 'postToolUseFailure')
    return error ? command(payload, error, exitCodeIn(error, LAST_LINE) ?? 1) : undefined
  if (event === 'preCompact') return { kind: 'compact' }
  if (event === 'agentStop') return { kind: 'stop', words: { transcript: textOf(payload.transcriptPath) } }
  return event === 'sessionEnd' ? { kind: 'end' } : undefined
}

export const copilot: HookAgent = {
  name: 'copilot',
  read: (event, payload) => {
    const found = happening(event, payload)
    return found && { ...found, sessionId: textOf(payload.sessionId), folder: textOf(payload.cwd) }
  },
  inject: (event, text) => {
    if (INJECTED.has(event)) return { output: JSON.stringify({ additionalContext: text }), exitCode: 0 }
    return event === 'postToolUseFailure' ? { output: text, exitCode: SHOWN_TO_MODEL } : undefined
  },
}
