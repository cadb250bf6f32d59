import { afterHeaders, isBase64, keyLineAbove, keyLineBelow, lineStart } from './key-lines.ts'
import { RANK, type Span } from './rules/rule.ts'

const HEADER = /(?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----/y
const LONGEST_BLOCK = 50_000
const LEAST_BLOCK = 32

const keyBetween = (start: number, end: number): Span => ({
  start,
  end,
  kind: 'private_key',
  rank: RANK.block,
})

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
    if (end - bodyStart < LEAST_BLOCK) return undefined
    return keyBetween(markerEnd - '-----BEGIN '.length, end)
  }
}

const FOOTER = /-----END(?: OpenVPN Static key V1|[A-Z0-9 ]{0,60})(?:-----)?/y

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
  return end - start < LEAST_BLOCK ? undefined : keyBetween(start, end)
}

/** A block without its end line: everything that looks like its body is removed, whatever stands before each line. */
function openEnd(text: string, bodyStart: number): number {
  let end = bodyStart
  let prefix: number | undefined
  while (end - bodyStart < LONGEST_BLOCK) {
    BODY_LINE.lastIndex = end
    if (BODY_LINE.test(text)) {
      end = BODY_LINE.lastIndex
      continue
    }
    const line = keyLineBelow(text, end === bodyStart ? afterHeaders(text, end) : end, prefix)
    if (!line) break
    end = line.end
    prefix = line.prefix
  }
  return end
}

/** The body before an end line whose beginning is missing, from the end of `-----END `. */
export function headlessBlock(text: string, markerEnd: number): Span | undefined {
  HEADER.lastIndex = markerEnd
  if (!HEADER.test(text)) return undefined
  const end = HEADER.lastIndex
  const marker = markerEnd - '-----END '.length
  const start = bodyAbove(text, marker) ?? escapedBody(text, marker)
  return start === undefined || marker - start < LEAST_BLOCK ? undefined : keyBetween(start, end)
}

function bodyAbove(text: string, marker: number): number | undefined {
  const footerStart = lineStart(text, marker)
  if (footerStart === -1) return undefined
  let found: number | undefined
  let [above, prefix] = [footerStart - 1, marker - footerStart]
  while (marker - above < LONGEST_BLOCK) {
    const line = keyLineAbove(text, above, prefix)
    if (!line) break
    found = line.start
    above = line.start - line.prefix - 1
    prefix = line.prefix
  }
  return found
}

/** Lines of a key with escaped line ends between them: `…\n…\n-----END`. */
function escapedBody(text: string, marker: number): number | undefined {
  let start = marker
  while (marker - start < LONGEST_BLOCK) {
    let at = start
    while (at > 1 && (text[at - 1] === 'n' || text[at - 1] === 'r') && text[at - 2] === '\\') at -= 2
    if (at === start && start !== marker) break
    while (at > 0 && text[at - 1] === '=') at -= 1
    const end = at
    while (at > 0 && end - at < 100 && isBase64(text, at - 1)) at -= 1
    // The n of an escaped line end is base64 too.
    if (text[at - 1] === '\\') at += 1
    if (end - at < 2) break
    start = at
  }
  return start === marker ? undefined : start
}

/** `LS0tLS1CRUdJTi` is `-----BEGIN ` in base64: a key as kubeconfig and environments of pipelines keep it. */
export const ENCODED_BEGIN = 'LS0tLS1CRUdJTi'
const ENCODED_HEAD = /[A-Za-z0-9+/]{12,62}/y
const ENCODED_BODY = /[A-Za-z0-9+/]{1,50000}={0,2}/y

export function encodedBlock(text: string, markerEnd: number): Span | undefined {
  const start = markerEnd - ENCODED_BEGIN.length
  ENCODED_HEAD.lastIndex = markerEnd
  const head = text.startsWith(ENCODED_BEGIN, start) ? ENCODED_HEAD.exec(text)?.[0] : undefined
  if (head === undefined || !isPrivate(ENCODED_BEGIN + head)) return undefined
  ENCODED_BODY.lastIndex = markerEnd
  return ENCODED_BODY.test(text) ? keyBetween(start, openEnd(text, ENCODED_BODY.lastIndex)) : undefined
}

/** Without Buffer, because the web app uses the same rules in the browser. */
const isPrivate = (encoded: string): boolean =>
  /^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/.test(atob(encoded.slice(0, encoded.length - (encoded.length % 4))))
