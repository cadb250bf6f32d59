import { exitCodeOf, isPayload, objectOf, partOf } from './payload.ts'

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

const plain = (value: unknown): string => (typeof value === 'string' ? value : '')

function textOf(output: unknown): string {
  if (Array.isArray(output)) return output.map((part) => plain(partOf(part).text)).join('\n')
  return plain(isPayload(output) ? output.content : output)
}

/** What the output of a tool call says in a session of Codex. Its tools for commands write it in three forms. */
export function codexResult(output: unknown): CodexResult {
  const object = objectOf(output)
  if (isPayload(object.metadata)) return { exitCode: exitCodeOf(object), text: plain(object.output) }
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
