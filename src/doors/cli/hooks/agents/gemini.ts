import type { Happening, HookAgent, Payload } from '../occasion.ts'
import { asAdditionalContext, begun, exitCodeIn, exitCodeOf, outputOf, partOf, textOf } from './payload.ts'

const INJECTED = new Set(['SessionStart', 'BeforeAgent', 'AfterTool'])
const EDITORS = new Set(['write_file', 'replace'])

/** Gemini CLI puts the text of earlier hooks before the person's words. */
const BY_HOOKS = /^\s{0,10}<hook_context>[\s\S]*?<\/hook_context>\s*/

export function personsWords(prompt: unknown): string | undefined {
  let words = textOf(prompt)
  while (words && BY_HOOKS.test(words)) words = textOf(words.replace(BY_HOOKS, ''))
  return words
}

/** Only these lines come after the exit code. */
export const AFTER_OUTPUT =
  /(?:^|\n)Exit Code: (\d{1,3})(?:\n(?:Signal|Background PIDs|Process Group PGID): [^\n]*)*(?:\n<\/untrusted_context>)?\s*$/

/**
 * The text for the model has `Exit Code: 1` after the output, and nothing if the command succeeded. An output that ends
 * with such a line is skipped first.
 */
export function exitCodeAfter(output: string | undefined, told: string): number | null {
  const start = output === undefined ? -1 : told.indexOf(`Output: ${output}`)
  const after = start < 0 ? told : told.slice(start + `Output: ${output}`.length)
  return exitCodeIn(after, AFTER_OUTPUT)
}

/** What stands in place of the output of a command that has not ended. */
export const NOT_ENDED =
  /^(?:<untrusted_context>\s*)?Command (?:moved to background|was (?:automatically )?cancelled)\b/

function used(payload: Payload): Happening | undefined {
  const input = partOf(payload.tool_input)
  const file = textOf(input.file_path)
  const command = textOf(input.command)
  if (EDITORS.has(String(payload.tool_name)) && file) return { kind: 'edit', files: [file] }
  if (payload.tool_name !== 'run_shell_command' || !command) return undefined
  const response = partOf(payload.tool_response)
  const told = outputOf(response.llmContent)
  if (input.is_background === true || NOT_ENDED.test(told)) return begun(command)
  const output = textOf(response.returnDisplay)
  const exitCode =
    exitCodeOf(partOf(response.data)) ?? exitCodeAfter(output, told) ?? (response.error ? 1 : 0)
  return { kind: 'command', run: { command, exitCode, output: output ?? told } }
}

function stopped(payload: Payload): Happening | undefined {
  if (payload.stop_hook_active === true) return undefined
  return {
    kind: 'stop',
    words: { prompt: personsWords(payload.prompt), reply: textOf(payload.prompt_response) },
  }
}

/** PreCompress is ignored: it comes before every request, whether something is compressed or not. */
function happening(event: string, payload: Payload): Happening | undefined {
  const prompt = personsWords(payload.prompt)
  if (event === 'SessionStart')
    return { kind: 'start', after: payload.source === 'resume' ? 'pause' : 'nothing' }
  if (event === 'BeforeAgent') return prompt ? { kind: 'prompt', prompt } : undefined
  if (event === 'AfterTool') return used(payload)
  if (event === 'AfterAgent') return stopped(payload)
  return event === 'SessionEnd' ? { kind: 'end' } : undefined
}

export const gemini: HookAgent = {
  name: 'gemini',
  read: (event, payload) => {
    const found = happening(event, payload)
    return found && { ...found, sessionId: textOf(payload.session_id), folder: textOf(payload.cwd) }
  },
  inject: (event, text) => (INJECTED.has(event) ? asAdditionalContext(event, text) : undefined),
}
