import { afterHeaders, isBase64, keyLineAbove, keyLineBelow, lineStart } from './key-lines.ts'
import { RANK, type Span } from './rules/rule.ts'

const HEADER = /(?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----/y

/** How a kind of block begins and ends, and what its first line goes on with. */
type Marks = { begin: string; header: RegExp; end: string; footer: RegExp }
export const PEM: Marks = {
  begin: '-----BEGIN ',
  header: HEADER,
  end: '-----END',
  footer: /-----END(?: OpenVPN Static key V1|[A-Z0-9 ]{0,60})(?:-----)?/y,
}
/** Keys of commercial SSH, with four dashes and a blank. */
export const SSH2: Marks = {
  begin: '---- BEGIN ',
  header: /SSH2 (?:ENCRYPTED )?PRIVATE KEY ----/y,
  end: '---- END',
  footer: /---- END(?: [A-Z0-9 ]{0,60})?(?:----)?/y,
}
const LONGEST_BLOCK = 50_000
const LEAST_BLOCK = 32

const keyBetween = (start: number, end: number): Span => ({
  start,
  end,
  kind: 'private_key',
  rank: RANK.block,
})

/** Finds private key blocks, even with escaped line ends or without their end line. */
export function blockFinder(text: string, marks: Marks): (markerEnd: number) => Span | undefined {
  // The next end line is searched once for all opening lines before it, so that many openings without an end stay linear.
  let nextEnd = -2
  return (markerEnd) => {
    marks.header.lastIndex = markerEnd
    if (!marks.header.test(text)) return undefined
    const bodyStart = marks.header.lastIndex
    if (nextEnd !== -1 && nextEnd < bodyStart) nextEnd = text.indexOf(marks.end, bodyStart)
    const end =
      nextEnd === -1 || nextEnd - bodyStart > LONGEST_BLOCK
        ? openEnd(text, bodyStart)
        : closedEnd(text, nextEnd, marks.footer)
    if (end - bodyStart < LEAST_BLOCK) return undefined
    return keyBetween(markerEnd - marks.begin.length, end)
  }
}

function closedEnd(text: string, from: number, footer: RegExp): number {
  footer.lastIndex = from
  return footer.test(text) ? footer.lastIndex : from
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

/** A block as an address or a form has it: `-----BEGIN%20PRIVATE%20KEY-----%0A…`, also with plus signs for blanks. */
const ENCODED_HEADER = /(?:[A-Z0-9]|%20|\+){0,60}PRIVATE(?:%20|\+)KEY(?:(?:%20|\+)BLOCK)?-----/y
const IN_ADDRESS = /(?:[A-Za-z0-9+/=_]|%[0-9A-Fa-f]{2}|-(?!----END)){1,50000}/y
const FOOTER_IN_ADDRESS = /-----END(?:[A-Z0-9+]|%20){0,60}(?:-----)?/y

/** From the end of `-----BEGIN%20` or `-----BEGIN+`. */
export function addressedBlock(text: string, markerEnd: number): Span | undefined {
  ENCODED_HEADER.lastIndex = markerEnd
  if (!ENCODED_HEADER.test(text)) return undefined
  const start = ENCODED_HEADER.lastIndex
  IN_ADDRESS.lastIndex = start
  if (!IN_ADDRESS.test(text) || IN_ADDRESS.lastIndex - start < LEAST_BLOCK) return undefined
  FOOTER_IN_ADDRESS.lastIndex = IN_ADDRESS.lastIndex
  const end = FOOTER_IN_ADDRESS.test(text) ? FOOTER_IN_ADDRESS.lastIndex : IN_ADDRESS.lastIndex
  return keyBetween(text.lastIndexOf('-----', markerEnd - 6), end)
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

/**
 * Key files that are base64 as a whole, with what stands at the end of `keyword` always the same: PKCS #12, keys of
 * PKCS #8 and #1 without their first line, Java key stores. `head` is what stands before it: a length.
 */
const LENGTH = /(?<=(?<![A-Za-z0-9+/])MII[A-P][A-Za-z0-9+/][AQgw])/y
const NOTHING = /(?<![A-Za-z0-9+/])/y
const BINARY_KEYS: readonly { keyword: string; head: RegExp; before: number }[] = [
  ...['IBAzCC', 'IBADANBgkqhkiG9w0BAQEFAASC', 'IBAAKCAQEA', 'IBAAKCAgEA', 'IBAAKCAYEA'].map((keyword) => ({
    keyword,
    head: LENGTH,
    before: 'MII000'.length,
  })),
  ...['MIGHAgEAMBMGByqGSM49', 'MIG2AgEAMBAGByqGSM49', 'MIACAQMwgAYJ', '/u3+7QAAAA'].map((keyword) => ({
    keyword,
    head: NOTHING,
    before: 0,
  })),
]
export const binaryKeywords = BINARY_KEYS.map(({ keyword }) => keyword)

const LEAST_BINARY = 100

export function binaryKey(text: string, keywordEnd: number, index: number): Span | undefined {
  const kind = BINARY_KEYS[index]
  if (!kind) return undefined
  const fixed = keywordEnd - kind.keyword.length
  kind.head.lastIndex = fixed
  if (!text.startsWith(kind.keyword, fixed) || !kind.head.test(text)) return undefined
  ENCODED_BODY.lastIndex = keywordEnd
  if (!ENCODED_BODY.test(text)) return undefined
  const [start, end] = [fixed - kind.before, openEnd(text, ENCODED_BODY.lastIndex)]
  return end - start < LEAST_BINARY ? undefined : keyBetween(start, end)
}
