/** A turn is one text with both sides under their headings; whoever shows it takes it apart again here. */

const MESSAGE = 'User message:\n'
const REPORT = '\n\nAgent report:\n'

export const turnContent = (userMessage: string, agentReport: string): string =>
  `${MESSAGE}${userMessage}${REPORT}${agentReport}`

export type TurnParts = { message: string | null; report: string | null }

/** A text that was cut may have lost its report; one that was never put together is a report alone. */
export function turnParts(content: string): TurnParts {
  if (!content.startsWith(MESSAGE)) return { message: null, report: content }
  const at = content.indexOf(REPORT)
  if (at === -1) return { message: content.slice(MESSAGE.length), report: null }
  return { message: content.slice(MESSAGE.length, at), report: content.slice(at + REPORT.length) }
}
