/** A turn is one text with both sides under their headings; whoever shows it takes it apart again here. */

const MESSAGE = 'User message:\n'
const REPORT = '\n\nAgent report:\n'

export const turnContent = (userMessage: string, agentReport: string): string =>
  `${MESSAGE}${userMessage}${REPORT}${agentReport}`

/** Clients send the beginning of a long message as it was said and then words of their own, so only the beginning is compared. */
const COMPARED_CHARACTERS = 3500

const beginning = (message: string) => message.replaceAll(/\s+/g, ' ').trim().slice(0, COMPARED_CHARACTERS)

/** Whether two turns answer the same message of the person. */
export function isSameMessage(one: string, other: string): boolean {
  const [first, second] = [turnParts(one).message, turnParts(other).message]
  return first !== null && second !== null && beginning(first) === beginning(second)
}

export type TurnParts = { message: string | null; report: string | null }

/** A text that was cut may have lost its report; one that was never put together is a report alone. */
export function turnParts(content: string): TurnParts {
  if (!content.startsWith(MESSAGE)) return { message: null, report: content }
  const at = content.indexOf(REPORT)
  if (at === -1) return { message: content.slice(MESSAGE.length), report: null }
  return { message: content.slice(MESSAGE.length, at), report: content.slice(at + REPORT.length) }
}
