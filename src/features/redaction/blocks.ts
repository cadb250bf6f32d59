import { RANK, type Span } from './rules/rule.ts'

const HEADER = /[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y
const LONGEST_BLOCK = 50_000

/** Finds private key blocks, even with escaped line ends or without their end line. */
export function blockFinder(text: string): (markerEnd: number) => Span | undefined {
  // The next end line is searched once for all opening lines before it, so that many openings without an end stay linear.
  let nextEnd = -2
  return (markerEnd) => {
    HEADER.lastIndex = markerEnd
    if (!HEADER.test(text)) return undefined
    const bodyStart = HEADER.lastIndex
    if (nextEnd !== -1 && nextEnd < bodyStart) nextEnd = text.indexOf('-----END', bodyStart)
    const end =
      nextEnd === -1 || nextEnd - bodyStart > LONGEST_BLOCK
        ? openEnd(text, bodyStart)
        : closedEnd(text, nextEnd)
    if (end - bodyStart < 32) return undefined
    return { start: markerEnd - '-----BEGIN '.length, end, kind: 'private_key', rank: RANK.block }
  }
}

const FOOTER = /-----END[A-Z0-9 ]{0,60}(?:-----)?/y

function closedEnd(text: string, from: number): number {
  FOOTER.lastIndex = from
  return FOOTER.test(text) ? FOOTER.lastIndex : from
}

/** A line of a key's body: base64, or one of the headers that an encrypted key carries. */
const BODY_LINE =
  /(?:\\[nr]|\s){0,20}(?:(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\]{1,100}|[A-Za-z0-9+/]{16,100}={0,2}|[A-Za-z0-9+/]{1,16}={1,2})(?=[\s\\"'`,]|$)/y

const LINE_COUNT = /[ \t]{0,4}\d{1,4}(?:\\[nr]|\s){1,6}/y

/** The secret lines of a PuTTY key, from the end of `Private-Lines:`. */
export function puttyLines(text: string, markerEnd: number): Span | undefined {
  LINE_COUNT.lastIndex = markerEnd
  if (!LINE_COUNT.test(text)) return undefined
  const start = LINE_COUNT.lastIndex
  const end = openEnd(text, start)
  return end - start < 32 ? undefined : { start, end, kind: 'private_key', rank: RANK.block }
}

/** A block without its end line: everything that looks like its body is removed. */
function openEnd(text: string, bodyStart: number): number {
  let end = bodyStart
  while (end - bodyStart < LONGEST_BLOCK) {
    BODY_LINE.lastIndex = end
    if (!BODY_LINE.test(text)) break
    end = BODY_LINE.lastIndex
  }
  return end
}
