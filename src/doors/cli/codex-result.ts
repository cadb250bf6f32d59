import { isJson, jsonIn, textAt } from './mine/read-bounded.ts'

const LONGEST_HEAD = 1000
const SPOKEN_CODE = /^(?:Process exited with code|Exit code:) (-?\d{1,3})$/m
/** The command goes on; a later call of another tool asks how it ended. */
const RUNS_ON = /^Process running with session ID \d{1,10}$/m
const OUTPUT = /^Output:\n/m

export const CODEX_OUTPUTS: ReadonlySet<unknown> = new Set([
  'function_call_output',
  'custom_tool_call_output',
])

export type CodexResult = { exitCode: number | null; text: string; runsOn?: boolean }

function textOf(output: unknown): string {
  if (typeof output === 'string') return output
  if (Array.isArray(output)) return output.map((part) => textAt(part, 'text') ?? '').join('\n')
  return textAt(output, 'content') ?? ''
}

/** What the output of a tool call says in a session of Codex. Its tools for commands write it in three forms. */
export function codexResult(output: unknown): CodexResult {
  const object = isJson(output) ? output : jsonIn(output)
  if (isJson(object) && isJson(object.metadata)) {
    const code = object.metadata.exit_code
    return { exitCode: typeof code === 'number' ? code : null, text: textAt(object, 'output') ?? '' }
  }
  const text = textOf(output)
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
