import type { Answer, Happening, Payload } from '../occasion.ts'

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

/**
 * The exit code that an agent writes into the text for its model. The pattern of each agent says the exact place: the
 * output of a command may speak of exit codes too.
 */
export function exitCodeIn(text: string, pattern: RegExp): number | null {
  const found = pattern.exec(text)
  return found ? Number(found[1]) : null
}

/** The exit code in the result of a tool, by the names that agents use for it. */
export function exitCodeOf(result: Payload): number | null {
  const meta = partOf(result.metadata)
  const given = [result.exitCode, result.exit_code, meta.exit, meta.exitCode, meta.exit_code]
  return given.map(numberOf).find((code) => code !== undefined) ?? null
}

/** A command that runs on when its agent goes on: how it ends is unknown, whatever it has printed so far. */
export const begun = (command: string): Happening => ({
  kind: 'command',
  run: { command, exitCode: null, output: '' },
})

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
