import { rank, type Span } from './rules/rule.ts'

const header = /[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y
const longestBlock = 50_000

/** Finds private key blocks, also with escaped line ends, also cut off before their end line. */
export function blockFinder(text: string): (markerEnd: number) => Span | undefined {
  // One look ahead serves every opening line before it: many openings without an end stay linear.
  let nextEnd = -2
  return (markerEnd) => {
    header.lastIndex = markerEnd
    if (!header.test(text)) return undefined
    const bodyStart = header.lastIndex
    if (nextEnd !== -1 && nextEnd < bodyStart) nextEnd = text.indexOf('-----END', bodyStart)
    const end =
      nextEnd === -1 || nextEnd - bodyStart > longestBlock
        ? openEnd(text, bodyStart)
        : closedEnd(text, nextEnd)
    if (end - bodyStart < 32) return undefined
    return { start: markerEnd - '-----BEGIN '.length, end, kind: 'private_key', rank: rank.block }
  }
}

const footer = /-----END[A-Z0-9 ]{0,60}(?:-----)?/y

function closedEnd(text: string, from: number): number {
  footer.lastIndex = from
  return footer.test(text) ? footer.lastIndex : from
}

/** A line of a key's body: base64, or one of the headers that an encrypted key carries. */
const bodyLine =
  /(?:\\[nr]|\s){0,20}(?:(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\]{1,100}|[A-Za-z0-9+/]{16,100}={0,2}|[A-Za-z0-9+/]{1,16}={1,2})(?=[\s\\"'`,]|$)/y

const lineCount = /[ \t]{0,4}\d{1,4}(?:\\[nr]|\s){1,6}/y

/** The secret lines of a PuTTY key, from the end of `Private-Lines:`. */
export function puttyLines(text: string, markerEnd: number): Span | undefined {
  lineCount.lastIndex = markerEnd
  if (!lineCount.test(text)) return undefined
  const start = lineCount.lastIndex
  const end = openEnd(text, start)
  return end - start < 32 ? undefined : { start, end, kind: 'private_key', rank: rank.block }
}

/** The block was cut off before its end line: what still looks like its body goes. */
function openEnd(text: string, bodyStart: number): number {
  let end = bodyStart
  while (end - bodyStart < longestBlock) {
    bodyLine.lastIndex = end
    if (!bodyLine.test(text)) break
    end = bodyLine.lastIndex
  }
  return end
}
