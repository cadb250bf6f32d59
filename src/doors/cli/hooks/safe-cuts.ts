/**
 * Cuts for text that is redacted later. Redaction recognises a secret by its beginning, its length or the name before
 * it, so half a secret would pass. These cuts drop everything that may belong to a secret at the cut.
 */

/** A secret with spaces, such as a phrase, is shorter than this. */
const LONGEST_PHRASE = 200
const ELLIPSIS = '…'

/** The beginning up to a line end. A line that fills more than half of it ends at a space or a quote instead. */
function wholeStart(text: string, most: number): string {
  const start = text.slice(0, most)
  const lineEnd = start.lastIndexOf('\n')
  if (lineEnd >= most / 2) return start.slice(0, lineEnd)
  const sure = start.slice(0, Math.max(0, most - LONGEST_PHRASE))
  return sure.replace(/[^\s"'`]+$/, '').toWellFormed()
}

/** A value whose name is in the line before, a row of a table, a line of a private key. */
const MAY_CONTINUE = /^[\s>*"'`-]*\S*\s*$|\|/

/**
 * The end from a line on. The line that was cut may hold the name of a secret, so the lines that can hold its value go
 * too. Within one line nothing says where a name begins: then nothing is left.
 */
function wholeEnd(text: string, most: number): string {
  const lines = text.slice(-most).split('\n').slice(1)
  const value = lines.findIndex((line) => line.trim() !== '')
  const next = lines.findIndex((line, at) => at > value && !MAY_CONTINUE.test(line))
  return value < 0 || next < 0 ? '' : lines.slice(next).join('\n')
}

export const startToRedact = (text: string, most: number): string =>
  text.length <= most ? text : `${wholeStart(text, most)}\n${ELLIPSIS}`.trimStart()

/** The two ends of a long text. */
export function endsToRedact(text: string, most: number): string {
  if (text.length <= most) return text
  const head = Math.floor(most / 4)
  return `${wholeStart(text, head)}\n${ELLIPSIS}\n${wholeEnd(text, most - head - 3)}`
}
