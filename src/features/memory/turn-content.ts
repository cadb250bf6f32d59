/** A turn is stored as one text with both sides under their headings. This writes it and takes it apart again. */

const MESSAGE = 'User message:\n'
const REPORT = '\n\nAgent report:\n'

/** A message may quote a turn. Its heading is indented, so that the first one is ours. Carriage returns are dropped later. */
const QUOTED = /(?<=^|\n)(?=\r*Agent report:\r*\n)/g

export const turnContent = (userMessage: string, agentReport: string): string =>
  `${MESSAGE}${`${userMessage}\n`.replaceAll(QUOTED, ' ').slice(0, -1)}${REPORT}${agentReport}`

/** Clients send the beginning of a long message verbatim and then a summary, so only the beginning is compared. */
const COMPARED_CHARACTERS = 3500

const beginning = (message: string) => message.replaceAll(/\s+/g, ' ').trim().slice(0, COMPARED_CHARACTERS)

/** Whether two turns answer the same message of the person. */
export function isSameMessage(one: string, other: string): boolean {
  const [first, second] = [turnParts(one).message, turnParts(other).message]
  return first !== null && second !== null && beginning(first) === beginning(second)
}

export type TurnParts = { message: string | null; report: string | null }

/** A text that was cut may lack its report; a text without headings is a report. */
export function turnParts(content: string): TurnParts {
  if (!content.startsWith(MESSAGE)) return { message: null, report: content }
  const at = content.indexOf(REPORT)
  if (at === -1) return { message: content.slice(MESSAGE.length), report: null }
  return { message: content.slice(MESSAGE.length, at), report: content.slice(at + REPORT.length) }
}
