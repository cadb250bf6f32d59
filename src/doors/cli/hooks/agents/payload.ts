import type { Answer, Payload } from '../occasion.ts'

export const isPayload = (value: unknown): value is Payload =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value if it is a text and not empty. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

export const partOf = (value: unknown): Payload => (isPayload(value) ? value : {})

/** Some agents pass arguments as JSON in a string. */
export function objectOf(value: unknown): Payload {
  if (typeof value !== 'string') return partOf(value)
  try {
    return partOf(JSON.parse(value))
  } catch {
    return {}
  }
}

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) ? value : undefined

/** Agents that know the exit code write it near the beginning or near the end of the text for their model. */
const NEAR = 400
const EXIT_CODE = /(?:\bexit(?:ed with)?(?: |_)?code:? ?|Process exited with code )(\d{1,3})\b/i

export function exitCodeIn(text: string): number | null {
  const found = EXIT_CODE.exec(text.slice(0, NEAR)) ?? EXIT_CODE.exec(text.slice(NEAR).slice(-NEAR))
  return found ? Number(found[1]) : null
}

/** The exit code in the result of a tool, by the names that agents use for it. */
export function exitCodeOf(result: Payload): number | null {
  const meta = partOf(result.metadata)
  const given = [result.exitCode, result.exit_code, meta.exit, meta.exitCode, meta.exit_code]
  return given.map(numberOf).find((code) => code !== undefined) ?? null
}

/** The text in the result of a tool. */
export function outputOf(result: unknown): string {
  if (typeof result === 'string') return result
  const { stdout, stderr, output, llmContent, content, text } = partOf(result)
  return [stdout, stderr, output, llmContent, content, text]
    .filter((part): part is string => typeof part === 'string' && part !== '')
    .join('\n')
}

/** The form that Claude Code introduced and others adopted. */
export const asAdditionalContext = (hookEventName: string, additionalContext: string): Answer => ({
  output: JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext } }),
  exitCode: 0,
})
