import {
  CONTROLS,
  INVISIBLE,
  INVISIBLE_PAIRS,
  PRIVATE_PAIRS,
  PRIVATE_USE,
  TERMINAL_SEQUENCE,
} from '../text/unicode.ts'

export const CYRILLIC_TWINS =
  '\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0455\u0458\u0410\u0415\u041e\u0420\u0421\u0425\u0406'

const TWINS: readonly (readonly [letters: string, latin: string])[] = [
  [CYRILLIC_TWINS, 'aeopcyxisjAEOPCXI'],
  ['\u0423\u0405\u0408\u0501\u051b\u051d\u04bb\u04cf', 'YSJdqwhl'],
  [
    '\u03b1\u03bf\u03c1\u03bd\u03b9\u03ba\u03c5\u03c7\u03b3\u03b5\u03c4\u0391\u0395\u0399\u039a\u039f\u03a1\u03a4\u03a7',
    'aopvikuxyetAEIKOPTX',
  ],
  ['\u0585\u057d\u0578\u0570\u0581\u0575\u0566\u056f', 'ounhgjqk'],
  [
    '\u13a0\u13a1\u13a2\u13aa\u13ab\u13ac\u13b3\u13b7\u13bb\u13c0\u13c2\u13c3\u13cf\u13d2\u13da\u13de\u13df\u13e2\u13e6\u13f4',
    'DRTAJEWMHGhZbRSLCPKB',
  ],
  [
    '\u1d00\u0299\u1d04\u1d05\u1d07\ua730\u0262\u029c\u026a\u1d0a\u1d0b\u029f\u1d0d\u0274\u1d0f\u1d18\ua7af\u0280\ua731\u1d1b\u1d1c\u1d20\u1d21\u028f\u1d22',
    'abcdefghijklmnopqrstuvwyz',
  ],
  [
    '\u0131\u0142\u0141\u00f8\u00d8\u0111\u0110\u00f0\u0127\u0251\u0261\u0269\u0257\u0253\u01a5\u0199\u0140\u0138\u017f\u00df\u0268\u0289\u0250\u0280',
    'ilLoOdDdhagidbpklksStuaR',
  ],
  ['\u2018\u2019\u02bc\u00a0\u3000\u202f\u2009\u2028\u2029\u2024\u2044\u2010\u2011', "'''    \n\n./--"],
]

/** Ranges in which NFKC or removing accents changes a character. */
const COMPATIBLE: readonly (readonly [number, number])[] = [
  [0xa0, 0x24f],
  [0x2b0, 0x2b8],
  [0x370, 0x52f],
  [0x1d2c, 0x1d6a],
  [0x1e00, 0x1fff],
  [0x2070, 0x209c],
  [0x2100, 0x214e],
  [0x2460, 0x24e9],
  [0xfb50, 0xfefc],
  [0xff01, 0xff9f],
]
/** Combining accents and points, and the Arabic stroke that lengthens letters. */
const MARKS: readonly (readonly [number, number])[] = [
  [0x300, 0x36f],
  [0x591, 0x5bd],
  [0x64b, 0x652],
  [0x640, 0x640],
  [0x20d0, 0x20f0],
  [0xfe20, 0xfe2f],
]
const LEFT_OUT_MARK = 0xffff

function plainCode(code: number): number {
  const plain = String.fromCharCode(code)
    .normalize('NFKC')
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
  return plain.length === 1 ? plain.charCodeAt(0) : code
}

/** The plain character for each character of the Basic Multilingual Plane. */
const PLAIN = (() => {
  const plain = Uint16Array.from({ length: 0x10000 }, (_, code) => code)
  for (const [first, last] of COMPATIBLE)
    for (let code = first; code <= last; code++) plain[code] = plainCode(code)
  // Twins come last, because removing an accent may produce a twin.
  const twins = new Map(
    TWINS.flatMap(([letters, latin]) =>
      [...letters].map((letter, i) => [letter.charCodeAt(0), latin.charCodeAt(i)] as const),
    ),
  )
  for (let code = 0x80; code < 0x10000; code++)
    plain[code] = twins.get(code) ?? twins.get(plain[code] ?? 0) ?? plain[code] ?? 0
  for (const [first, last] of MARKS) plain.fill(LEFT_OUT_MARK, first, last + 1)
  return plain
})()

function plainOfPair(high: number, low: number): number {
  if (high !== 0xd835 && high !== 0xd83c) return 0
  const point = (high - 0xd800) * 0x400 + (low - 0xdc00) + 0x10000
  if (point >= 0x1f1e6 && point <= 0x1f1ff) return point - 0x1f1e6 + 0x61
  if (point >= 0x1f130 && point <= 0x1f189) return (((point - 0x1f130) % 32) % 26) + 0x41
  if (high !== 0xd835) return 0
  const plain = String.fromCodePoint(point).normalize('NFKC')
  return plain.length === 1 ? (PLAIN[plain.charCodeAt(0)] ?? 0) : 0
}

const NOT_PLAIN = /[^\t\n\r\x20-\x7e]/
export const isPlain = (text: string): boolean => !NOT_PLAIN.test(text)

const SINGLE = `[${CONTROLS}${INVISIBLE}${PRIVATE_USE}]`
const PAIRS = `${INVISIBLE_PAIRS}|${PRIVATE_PAIRS}`
/** The order matters: a terminal sequence begins with a control character. */
const LEFT_OUT = new RegExp(`${TERMINAL_SEQUENCE}|${SINGLE}|${PAIRS}`, 'y')

const MAY_BE_LEFT_OUT = new Uint8Array(0x10000)
for (const [, first = '', last = first] of `${SINGLE}${PAIRS}`.matchAll(
  /\\u([0-9a-f]{4})(?:-\\u([0-9a-f]{4}))?/g,
))
  MAY_BE_LEFT_OUT.fill(1, Number.parseInt(first, 16), Number.parseInt(last, 16) + 1)
MAY_BE_LEFT_OUT.fill(1, 0, 0x20).fill(1, 0x7f, 0xa0)
for (const kept of '\t\n\r') MAY_BE_LEFT_OUT[kept.charCodeAt(0)] = 0

const IS_KEPT = Uint8Array.from(PLAIN, (plain, code) =>
  plain === code && MAY_BE_LEFT_OUT[code] === 0 && code !== 0xd835 && code !== 0xd83c ? 1 : 0,
)

function leftOutAt(text: string, at: number): number {
  LEFT_OUT.lastIndex = at
  return LEFT_OUT.test(text) ? LEFT_OUT.lastIndex - at : 0
}

export type Readable = {
  text: string
  writtenAt: (at: number) => number
}

const UTF16 = new TextDecoder('utf-16le', { ignoreBOM: true })

class Folded {
  private codes: Uint16Array
  private positions: Uint32Array
  private length = 0

  constructor(room: number) {
    this.codes = new Uint16Array(room)
    this.positions = new Uint32Array(room + 1)
  }

  add(code: number, position: number): void {
    if (this.length === this.codes.length) this.grow()
    this.positions[this.length] = position
    this.codes[this.length++] = code
  }

  addText(text: string, position: number, step: 0 | 1): void {
    for (let i = 0; i < text.length; i++) this.add(text.charCodeAt(i), position + i * step)
  }

  readable(end: number): Readable {
    const { codes, positions, length } = this
    positions[length] = end
    return { text: UTF16.decode(codes.subarray(0, length)), writtenAt: (at) => positions[at] ?? end }
  }

  private grow(): void {
    const codes = new Uint16Array(this.codes.length * 2 + 16)
    const positions = new Uint32Array(codes.length + 1)
    codes.set(this.codes)
    positions.set(this.positions)
    this.codes = codes
    this.positions = positions
  }
}

export function readable(text: string): Readable {
  const codes = new Uint16Array(text.length)
  const positions = new Uint32Array(text.length + 1)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    positions[length] = at
    if (IS_KEPT[code] === 1) {
      codes[length++] = code
      continue
    }
    const leftOut = MAY_BE_LEFT_OUT[code] === 1 ? leftOutAt(text, at) : 0
    if (leftOut > 0) {
      at += leftOut - 1
      continue
    }
    const pair = code === 0xd835 || code === 0xd83c ? plainOfPair(code, text.charCodeAt(at + 1)) : 0
    if (pair > 0) {
      codes[length++] = pair
      at++
    } else if (PLAIN[code] !== LEFT_OUT_MARK) codes[length++] = PLAIN[code] ?? code
  }
  positions[length] = text.length
  return {
    text: UTF16.decode(codes.subarray(0, length)),
    writtenAt: (at) => positions[at] ?? text.length,
  }
}

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  sol: '/',
  bsol: '\\',
  period: '.',
  colon: ':',
  semi: ';',
  comma: ',',
  dollar: '$',
  lpar: '(',
  rpar: ')',
  num: '#',
  excl: '!',
  quest: '?',
  ast: '*',
  lowbar: '_',
  vert: '|',
  verbar: '|',
  grave: '`',
  Tab: '\t',
  NewLine: '\n',
  shy: '',
  zwnj: '',
  zwj: '',
  ZeroWidthSpace: '',
  hyphen: '-',
  dash: '-',
}
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]{2,14}));?/y
const PERCENT = /(?:%[0-9a-fA-F]{2})+/y
const ESCAPE = /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))/y
const TAGS_IN_WORD = /(?:<(?:\/?[A-Za-z][\w-]{0,20}(?:\s[^<>\n]{0,120})?\/?|!--[^<>\n]{0,40}--)>){1,4}/y
/** Matches letters separated by a few signs: `I.g.n.o.r.e`, `I g n o r e`, one per line. */
const MIN_LETTERS_APART = 6
const MAX_LETTERS_APART = 801
const MAX_GAP_LENGTH = 3
const BLOCK = /[A-Za-z0-9+/_-]{20,}(?:\r?\n[A-Za-z0-9+/_-]{20,}){0,200}={0,2}/y
const HEX = /^(?:[0-9a-fA-F]{2})+$/
const MIN_BLOCK_LENGTH = 20
const MAX_BLOCK_LENGTH = 20_000
const SAMPLE = 160

const fromCode = (code: number): string =>
  Number.isNaN(code) || code > 0x10ffff || (code < 0x20 && code !== 9 && code !== 10)
    ? ''
    : String.fromCodePoint(code)

function decodeBytes(bytes: string): string {
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)))
}

const TEXT_CHARACTER = /[\p{L}\p{M}\p{N} \n.,:;'"/~|$()@=>&_-]/u
const TEXT_CHARACTERS = new RegExp(TEXT_CHARACTER, 'gu')
const MIN_TEXT = 0.92

function looksLikeText(text: string): boolean {
  const letters = text.match(TEXT_CHARACTERS)?.length ?? 0
  return letters >= MIN_TEXT * [...text].length && /\p{L} |\p{L}{8}/u.test(text)
}

const NO_DIGIT = 64
const DIGIT_OF = new Uint8Array(128).fill(NO_DIGIT)
for (const [value, digit] of [
  ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
].entries())
  DIGIT_OF[digit.charCodeAt(0)] = value
DIGIT_OF['-'.charCodeAt(0)] = 62
DIGIT_OF['_'.charCodeAt(0)] = 63
const IS_TEXT_BYTE = Uint8Array.from({ length: 128 }, (_, byte) =>
  TEXT_CHARACTER.test(String.fromCharCode(byte)) ? 1 : 0,
)

const hexValue = (digit: number): number =>
  digit < 6
    ? digit + 10
    : digit < 26
      ? -1
      : digit < 32
        ? digit - 16
        : digit < 52
          ? -1
          : digit < 62
            ? digit - 52
            : -1

const digits = new Uint8Array(SAMPLE)

/** Pre-filter: most blocks are names and hashes and need no decoding. */
function mayBeText(block: string): boolean {
  let count = 0
  for (let at = 0; at < block.length && count < SAMPLE; at++) {
    const digit = DIGIT_OF[block.charCodeAt(at)] ?? NO_DIGIT
    if (digit !== NO_DIGIT) digits[count++] = digit
  }
  let isHex = count % 2 === 0
  for (let at = 0; at < count && isHex; at++) isHex = hexValue(digits[at] ?? 0) !== -1
  const bitsOfDigit = isHex ? 4 : 6
  const most = ((1 - MIN_TEXT) * count * bitsOfDigit) / 8 + 0.01
  let strange = 0
  let missing = 0
  for (let at = 0, bits = 0, held = 0; at < count; at++) {
    const digit = digits[at] ?? 0
    bits = ((bits << bitsOfDigit) | (isHex ? hexValue(digit) : digit)) & 0xffff
    held += bitsOfDigit
    if (held < 8) continue
    held -= 8
    const byte = (bits >> held) & 0xff
    const goesOn = byte >= 0x80 && byte < 0xc0
    if (goesOn ? missing === 0 : missing > 0 || byte > 0xf4 || (byte < 0x80 && IS_TEXT_BYTE[byte] === 0))
      strange++
    if (strange > most) return false
    missing = goesOn ? Math.max(0, missing - 1) : byte < 0xc0 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
  }
  return true
}

function decodeBlock(block: string): string | undefined {
  const digits = block.replaceAll(/[\r\n=]/g, '').slice(0, MAX_BLOCK_LENGTH)
  const decode = (part: string): string => {
    if (HEX.test(part))
      return decodeBytes(part.replaceAll(/../g, (byte) => String.fromCharCode(Number.parseInt(byte, 16))))
    const whole = part.replaceAll('-', '+').replaceAll('_', '/')
    return decodeBytes(atob(whole.slice(0, whole.length - (whole.length % 4 === 1 ? 1 : 0))))
  }
  try {
    if (!looksLikeText(decode(digits.slice(0, SAMPLE)))) return undefined
    return digits.length <= SAMPLE
      ? decode(digits)
      : decode(digits.slice(0, digits.length - (digits.length % 4)))
  } catch {
    return undefined
  }
}

const KNOWN_WORDS =
  /ignore|disregard|forget|previous|prior|earlier|above|instructions?|rules?|without|asking|system|prompt|everything|follow|tell|user|agent|run|delete|never|always|secret|all|any|the|your|you|and|not|do/gi

function joinLetters(apart: string): string {
  const gaps = [...apart.matchAll(/[^A-Za-z]+/g)].map(([gap]) => gap.length)
  const least = Math.min(...gaps)
  const joined = apart.replaceAll(/[^A-Za-z]+/g, (gap) => (gap.length > least ? ' ' : ''))
  return joined.includes(' ') ? joined : joined.replaceAll(KNOWN_WORDS, ' $& ')
}

const isLetter = (code: number): boolean => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a

/** Kinds of what a character may begin: an escape, a word, or the continuation of a block. */
const [ESCAPES, WORD, JOINS] = [1, 2, 3]
const BEGINS = new Uint8Array(0x10000)
for (const sign of '&%\\<') BEGINS[sign.charCodeAt(0)] = ESCAPES
for (const sign of '+/-_') BEGINS[sign.charCodeAt(0)] = JOINS
BEGINS.fill(WORD, 0x30, 0x3a).fill(WORD, 0x41, 0x5b).fill(WORD, 0x61, 0x7b)

const LESS_THAN = '<'.charCodeAt(0)

type Piece = { start: number; end: number; text: string }

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function entityAt(source: string, start: number): Piece | undefined {
  const match = matchAt(ENTITY, source, start)
  if (!match) return undefined
  const [whole, decimal, hex, name] = match
  const text = name ? ENTITIES[name] : fromCode(decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16))
  return text === undefined ? undefined : { start, end: start + whole.length, text }
}

function percentAt(source: string, start: number): Piece | undefined {
  const whole = matchAt(PERCENT, source, start)?.[0]
  if (whole === undefined) return undefined
  try {
    return { start, end: start + whole.length, text: decodeURIComponent(whole) }
  } catch {
    return undefined
  }
}

function escapeAt(source: string, start: number): Piece | undefined {
  const match = matchAt(ESCAPE, source, start)
  if (!match) return undefined
  const text = fromCode(Number.parseInt(match[1] ?? match[2] ?? match[3] ?? '', 16))
  return { start, end: start + match[0].length, text }
}

function tagAt(source: string, start: number): Piece | undefined {
  if (!isLetter(source.charCodeAt(start - 1))) return undefined
  const whole = matchAt(TAGS_IN_WORD, source, start)?.[0]
  if (whole === undefined) return undefined
  const end = start + whole.length
  const next = source.charCodeAt(end)
  const goesOn = BEGINS[next] === WORD || (BEGINS[next] === ESCAPES && next !== LESS_THAN)
  return goesOn ? { start, end, text: '' } : undefined
}

const ESCAPES_AT: Record<string, (source: string, start: number) => Piece | undefined> = {
  '&': entityAt,
  '%': percentAt,
  '\\': escapeAt,
  '<': tagAt,
}

function lettersAt(source: string, start: number): Piece | undefined {
  let end = start + 1
  let letters = 1
  for (; letters < MAX_LETTERS_APART; letters++) {
    let next = end
    while (next < end + MAX_GAP_LENGTH && next < source.length && BEGINS[source.charCodeAt(next)] !== WORD)
      next++
    if (next === end || !isLetter(source.charCodeAt(next)) || isLetter(source.charCodeAt(next + 1))) break
    end = next + 1
  }
  if (letters < MIN_LETTERS_APART) return undefined
  return { start, end, text: joinLetters(source.slice(start, end)) }
}

function blockAt(source: string, start: number): Piece & { isText: boolean } {
  const whole = matchAt(BLOCK, source, start)?.[0] ?? ''
  const text = mayBeText(whole) ? decodeBlock(whole) : undefined
  return {
    start,
    end: start + Math.max(1, whole.length),
    text: ` ${text ?? ''} `,
    isText: text !== undefined,
  }
}

function mayEscape(sign: number, next: number): boolean {
  if (sign === 0x26) return next === 0x23 || isLetter(next)
  if (sign === 0x25) return (next >= 0x30 && next <= 0x39) || isLetter(next)
  if (sign === 0x5c) return next === 0x75 || next === 0x78
  return next === 0x2f || next === 0x21 || isLetter(next)
}

function encodedPieces(text: string): Piece[] {
  const pieces: Piece[] = []
  let blockStart = 0
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    const begins = BEGINS[code]
    let piece: Piece | undefined
    let end = at + 1
    if (begins === WORD) {
      while (BEGINS[text.charCodeAt(end)] === WORD) end++
      if (end - at === 1 && isLetter(code)) piece = lettersAt(text, at)
      if (piece === undefined && end - blockStart >= MIN_BLOCK_LENGTH) {
        const block = blockAt(text, blockStart)
        end = Math.max(end, block.end)
        blockStart = end
        if (block.isText) piece = { ...block, end }
      }
    } else if (begins !== JOINS) {
      blockStart = end
      if (begins === ESCAPES && mayEscape(code, text.charCodeAt(end)))
        piece = ESCAPES_AT[text[at] ?? '']?.(text, at)
    }
    if (piece !== undefined) {
      pieces.push(piece)
      end = piece.end
      blockStart = end
    }
    at = end
  }
  return pieces
}

/** No rule reads further than this from an encoded piece. */
const REACH = 1200
const MAX_REST_OF_LINE_LENGTH = 300

function aroundPieces(text: string, pieces: readonly Piece[]): { from: number; to: number } {
  let from = Math.max(0, (pieces[0]?.start ?? 0) - REACH)
  const least = Math.max(0, from - MAX_REST_OF_LINE_LENGTH)
  while (from > least && text[from - 1] !== '\n') from--
  let to = Math.min(text.length, (pieces.at(-1)?.end ?? 0) + REACH)
  const most = Math.min(text.length, to + MAX_REST_OF_LINE_LENGTH)
  while (to < most && text[to] !== '\n') to++
  return { from, to }
}

export function decoded(text: string): Readable[] {
  const parts: Piece[][] = []
  let reached = -1
  for (const piece of encodedPieces(text)) {
    if (piece.start > reached) parts.push([piece])
    else parts.at(-1)?.push(piece)
    reached = piece.end + 2 * (REACH + MAX_REST_OF_LINE_LENGTH)
  }
  return parts.map((pieces) => decodedPart(text, aroundPieces(text, pieces), pieces))
}

function decodedPart(
  text: string,
  { from, to }: { from: number; to: number },
  pieces: readonly Piece[],
): Readable {
  const folded = new Folded(to - from + 16)
  let copied = from
  for (const { start, end, text: says } of pieces) {
    folded.addText(text.slice(copied, start), copied, 1)
    folded.addText(says, start, 0)
    copied = end
  }
  folded.addText(text.slice(copied, to), copied, 1)
  const result = folded.readable(to)
  if (isPlain(result.text)) return result
  const plain = readable(result.text)
  return { text: plain.text, writtenAt: (at) => result.writtenAt(plain.writtenAt(at)) }
}
