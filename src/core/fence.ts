import { randomBytes } from 'node:crypto'

/**
 * Marks where text of others begins and ends. The marks are new for each answer, so no text can contain the one that
 * ends it and continue as if it were ours.
 */
export function fence(text: string): string {
  const mark = `vault-data-${randomBytes(6).toString('hex')}`
  return `<${mark}>\n${text}\n</${mark}>`
}
