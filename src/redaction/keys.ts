import { isPlaceholder, isPlainlyRandom, looksRandom } from './placeholders.ts'
import { RANK, type Span } from './rule.ts'

const MAX_LINE_LENGTH = 240
const MAX_PREFIX_LENGTH = 80
const MAX_SUFFIX_LENGTH = 12

const SURELY_KEY = 40
/** The minimum length of the last line, which counts only behind a prefix like that of its neighbours. */
const MIN_LAST = 16

const IN_BASE64 = new Uint8Array(128)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
  IN_BASE64[character.charCodeAt(0)] = 1
const isBase64 = (text: string, at: number): boolean => IN_BASE64[text.charCodeAt(at)] === 1

/** Returns the end, or the beginning, of the line at `at`; -1 if the line is too long. */
function lineEnd(text: string, at: number): number {
  for (let end = at; end <= at + MAX_LINE_LENGTH; end += 1)
    if (end >= text.length || text[end] === '\n') return end
  return -1
}

function lineStart(text: string, at: number): number {
  for (let start = at; start >= at - MAX_LINE_LENGTH; start -= 1)
    if (start <= 0 || text[start - 1] === '\n') return Math.max(0, start)
  return -1
}

function withoutSuffix(text: string, from: number, start: number): number {
  let end = from
  while (end > start && from - end < MAX_SUFFIX_LENGTH) {
    const [sign = '', before = ''] = [text[end - 1], text[end - 2]]
    if ((sign === 'n' || sign === 'r') && before === '\\') end -= 2
    else if (' \t\r"\'`,;)\\'.includes(sign)) end -= 1
    else if (sign === '+' && (before === ' ' || before === '"' || before === "'")) end -= 1
    else break
  }
  return Math.max(start, end)
}

type KeyLine = { start: number; end: number; prefix: number }

/** `expected`: the prefix length of a neighbouring line, which may differ as line numbers grow. */
function keyIn(text: string, start: number, end: number, expected: number | undefined): KeyLine | undefined {
  const keyEnd = withoutSuffix(text, end, start)
  let keyStart = keyEnd
  while (keyStart > start && keyEnd - keyStart < 2 && text[keyStart - 1] === '=') keyStart -= 1
  const isPadded = keyStart < keyEnd
  while (keyStart > start && isBase64(text, keyStart - 1)) keyStart -= 1
  const [length, prefix] = [keyEnd - keyStart, keyStart - start]
  if (prefix > MAX_PREFIX_LENGTH) return undefined
  const isLast =
    expected !== undefined &&
    Math.abs(expected - prefix) <= 1 &&
    (length >= MIN_LAST || (isPadded && length > 2))
  return length >= SURELY_KEY || isLast ? { start: keyStart, end: keyEnd, prefix } : undefined
}

function nextLine(text: string, at: number): number {
  const end = lineEnd(text, at)
  const isOver = end !== -1 && end - at <= MAX_SUFFIX_LENGTH && withoutSuffix(text, end, at) === at
  return isOver && end < text.length ? end + 1 : -1
}

function keyLineBelow(text: string, at: number, expected: number | undefined): KeyLine | undefined {
  const start = nextLine(text, at)
  const end = start === -1 ? -1 : lineEnd(text, start)
  return end === -1 ? undefined : keyIn(text, start, end, expected)
}

function keyLineAbove(text: string, end: number, expected: number | undefined): KeyLine | undefined {
  const start = end < 0 ? -1 : lineStart(text, end)
  return start === -1 ? undefined : keyIn(text, start, end, expected)
}

const HEADER_OF_ENCRYPTED = /(?:Proc-Type|DEK-Info|Version|Comment): /

/** Skips the headers of an encrypted key and the empty line after them. */
function afterHeaders(text: string, at: number): number {
  let end = at
  for (let lines = 0; lines < 5; lines += 1) {
    const start = nextLine(text, end)
    const next = start === -1 ? -1 : lineEnd(text, start)
    if (next === -1) return end
    const line = text.slice(start, next)
    const isEmpty = lines > 0 && line.length <= MAX_PREFIX_LENGTH && !/[A-Za-z0-9+/]{16}/.test(line)
    if (!isEmpty && !HEADER_OF_ENCRYPTED.test(line)) return end
    end = next
  }
  return end
}

const HEADER = /(?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----/y

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
const MAX_BLOCK_LENGTH = 50_000
const MIN_BLOCK = 32

const keyBetween = (start: number, end: number): Span => ({
  start,
  end,
  kind: 'private_key',
  rank: RANK.block,
})

/** Finds private key blocks, even with escaped line ends or without an end line. */
export function blockFinder(text: string, marks: Marks): (markerEnd: number) => Span | undefined {
  // Searched once for all openings before it, so that many openings without an end stay linear.
  let nextEnd = -2
  return (markerEnd) => {
    marks.header.lastIndex = markerEnd
    if (!marks.header.test(text)) return undefined
    const bodyStart = marks.header.lastIndex
    if (nextEnd !== -1 && nextEnd < bodyStart) nextEnd = text.indexOf(marks.end, bodyStart)
    const end =
      nextEnd === -1 || nextEnd - bodyStart > MAX_BLOCK_LENGTH
        ? openEnd(text, bodyStart)
        : closedEnd(text, nextEnd, marks.footer)
    if (end - bodyStart < MIN_BLOCK) return undefined
    return keyBetween(markerEnd - marks.begin.length, end)
  }
}

function closedEnd(text: string, from: number, footer: RegExp): number {
  footer.lastIndex = from
  return footer.test(text) ? footer.lastIndex : from
}

const BODY_LINE =
  /(?:\\[nr]|\s){0,20}(?:(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\]{1,100}|[A-Za-z0-9+/]{16,100}={0,2}|[A-Za-z0-9+/]{1,16}={1,2})(?=[\s\\"'`,]|$)/y

const LINE_COUNT = /[ \t]{0,4}\d{1,4}(?:\\[nr]|\s){1,6}/y

export function puttyLines(text: string, markerEnd: number): Span | undefined {
  LINE_COUNT.lastIndex = markerEnd
  if (!LINE_COUNT.test(text)) return undefined
  const start = LINE_COUNT.lastIndex
  const end = openEnd(text, start)
  return end - start < MIN_BLOCK ? undefined : keyBetween(start, end)
}

function openEnd(text: string, bodyStart: number): number {
  let end = bodyStart
  let prefix: number | undefined
  while (end - bodyStart < MAX_BLOCK_LENGTH) {
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

/** Returns the body before an end line when the beginning is missing, from the end of `-----END `. */
export function headlessBlock(text: string, markerEnd: number): Span | undefined {
  HEADER.lastIndex = markerEnd
  if (!HEADER.test(text)) return undefined
  const end = HEADER.lastIndex
  const marker = markerEnd - '-----END '.length
  const start = bodyAbove(text, marker) ?? escapedBody(text, marker)
  return start === undefined || marker - start < MIN_BLOCK ? undefined : keyBetween(start, end)
}

function bodyAbove(text: string, marker: number): number | undefined {
  const footerStart = lineStart(text, marker)
  if (footerStart === -1) return undefined
  let found: number | undefined
  let [above, prefix] = [footerStart - 1, marker - footerStart]
  while (marker - above < MAX_BLOCK_LENGTH) {
    const line = keyLineAbove(text, above, prefix)
    if (!line) break
    found = line.start
    above = line.start - line.prefix - 1
    prefix = line.prefix
  }
  return found
}

function escapedBody(text: string, marker: number): number | undefined {
  let start = marker
  while (marker - start < MAX_BLOCK_LENGTH) {
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

/** Matches a URL-encoded block: `-----BEGIN%20PRIVATE%20KEY-----%0A…`, also with plus signs for blanks. */
const ENCODED_HEADER = /(?:[A-Z0-9]|%20|\+){0,60}PRIVATE(?:%20|\+)KEY(?:(?:%20|\+)BLOCK)?-----/y
const IN_ADDRESS = /(?:[A-Za-z0-9+/=_]|%[0-9A-Fa-f]{2}|-(?!----END)){1,50000}/y
const FOOTER_IN_ADDRESS = /-----END(?:[A-Z0-9+]|%20){0,60}(?:-----)?/y

export function addressedBlock(text: string, markerEnd: number): Span | undefined {
  ENCODED_HEADER.lastIndex = markerEnd
  if (!ENCODED_HEADER.test(text)) return undefined
  const start = ENCODED_HEADER.lastIndex
  IN_ADDRESS.lastIndex = start
  if (!IN_ADDRESS.test(text) || IN_ADDRESS.lastIndex - start < MIN_BLOCK) return undefined
  FOOTER_IN_ADDRESS.lastIndex = IN_ADDRESS.lastIndex
  const end = FOOTER_IN_ADDRESS.test(text) ? FOOTER_IN_ADDRESS.lastIndex : IN_ADDRESS.lastIndex
  return keyBetween(text.lastIndexOf('-----', markerEnd - 6), end)
}

/** `-----BEGIN ` in base64, as in keys of kubeconfig and pipeline variables. */
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

/** Works without Buffer, because the web app uses these rules in the browser. */
const isPrivate = (encoded: string): boolean =>
  /^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/.test(atob(encoded.slice(0, encoded.length - (encoded.length % 4))))

/** Key files that are base64 as a whole; `keyword` is the constant part, `head` the length before it. */
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

const MIN_BINARY = 100

export function binaryKey(text: string, keywordEnd: number, index: number): Span | undefined {
  const kind = BINARY_KEYS[index]
  if (!kind) return undefined
  const fixed = keywordEnd - kind.keyword.length
  kind.head.lastIndex = fixed
  if (!text.startsWith(kind.keyword, fixed) || !kind.head.test(text)) return undefined
  ENCODED_BODY.lastIndex = keywordEnd
  if (!ENCODED_BODY.test(text)) return undefined
  const [start, end] = [fixed - kind.before, openEnd(text, ENCODED_BODY.lastIndex)]
  return end - start < MIN_BINARY ? undefined : keyBetween(start, end)
}

/** Finds recovery phrases of wallets: twelve to twenty-four words behind a name such as `seed phrase`. */
export const WALLET_NAMES = [
  'mnemonic',
  ...['seed', 'recovery', 'backup'].flatMap((word) =>
    ['', ' ', '_', '-'].map((sign) => `${word}${sign}phrase`),
  ),
  'seed words',
]

const LINK =
  /[\w-]{0,20}[ \t]{0,2}["'`*)\]]{0,3}(?:[ \t]{0,2}[:=]|[ \t](?:is|are|was)\b|\r?\n)[\s"'`*([]{0,12}/y
const WORD =
  /(?:\d{1,2}[.):][ \t]{0,2})?["'`]?([a-z]{3,8})(?![A-Za-z0-9_])["'`]?[ \t]{0,4}(,?[ \t]{0,4}\r?\n?[ \t]{0,8})/y
const COUNTS = new Set([12, 15, 18, 21, 24])
const MAX_WORDS = 25
/** Common words that are not in the word list of wallets. */
const PROSE = new Set(
  'the and for are from not was has its our your with into each must should which word words'.split(' '),
)
/** Samples in tutorials repeat one word. */
const MIN_DIFFERENT = 8
/** Excludes processor mnemonics with three letters; wallet words have more than five letters on average. */
const MIN_AVERAGE = 4

const isPhrase = (words: readonly string[]): boolean =>
  COUNTS.has(words.length) &&
  new Set(words).size >= MIN_DIFFERENT &&
  words.join('').length >= words.length * MIN_AVERAGE

export function walletWords(text: string, nameEnd: number): Span | undefined {
  LINK.lastIndex = nameEnd
  if (!LINK.test(text)) return undefined
  const start = LINK.lastIndex
  const words: string[] = []
  let [at, end] = [start, -1]
  while (words.length < MAX_WORDS) {
    WORD.lastIndex = at
    const found = WORD.exec(text)
    const [whole = '', word = '', between = ''] = found ?? []
    if (!found || PROSE.has(word)) break
    words.push(word)
    at = WORD.lastIndex
    const isOver = between.includes('\n') || !/[A-Za-z0-9]/.test(text[at] ?? '')
    if (isOver && isPhrase(words)) end = found.index + whole.lastIndexOf(word) + word.length
  }
  return end === -1 ? undefined : { start, end, kind: 'seed_phrase', rank: RANK.named }
}

/** Finds JSON Web Keys: all have `kty`, and only a private or shared key has a secret part. */
export const KEY_TYPES = ['"kty"', '\\"kty\\"', "'kty'"]

/** A key of 4096 bits with all its parts has about 3200 characters. */
const WINDOW = 5000
const SECRET_PART = /(\\?["'])(?:d|p|q|dp|dq|qi|k)\1\s{0,8}:\s{0,8}\1([A-Za-z0-9_-]{20,1400}={0,2})\1/g

/** Returns the secret parts of the key around a place. Text before `notBefore` was read already. */
export function secretsInWebKey(
  text: string,
  typeEnd: number,
  notBefore: number,
): { spans: Span[]; readUntil: number } {
  const from = Math.max(notBefore, typeEnd - WINDOW)
  const opened = text.slice(from, typeEnd).lastIndexOf('{')
  const after = text.slice(typeEnd, typeEnd + WINDOW)
  const closed = after.indexOf('}')
  const readUntil = typeEnd + (closed === -1 ? after.length : closed)
  if (opened === -1) return { spans: [], readUntil }
  const spans: Span[] = []
  for (const found of text.slice(from + opened, readUntil).matchAll(SECRET_PART)) {
    const [whole, quote = '', value = ''] = found
    const end = from + opened + found.index + whole.length - quote.length
    if (!isPlaceholder(value))
      spans.push({ start: end - value.length, end, kind: 'private_key', rank: RANK.named })
  }
  return { spans, readUntil }
}

const NEXT = /,([A-Za-z0-9_+/.~-]{16,400}={0,2})(?=[\s"'`;,)\]}\\<&]|$)/y

/** Keys of one list mostly have one length; any other key must be random beyond doubt. */
const isKey = (value: string, length: number): boolean =>
  !isPlaceholder(value) && (value.length === length ? looksRandom(value) : isPlainlyRandom(value))

/** Returns the end of a list such as `APP_KEYS=…,…,…` whose first key ends at `end`. */
export function endOfList(text: string, end: number, length: number): number {
  let last = end
  for (;;) {
    NEXT.lastIndex = last
    const next = NEXT.exec(text)?.[1]
    if (next === undefined || !isKey(next, length)) return last
    last = NEXT.lastIndex
  }
}
