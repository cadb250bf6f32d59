import {
  CONTROLS,
  INVISIBLE,
  INVISIBLE_PAIRS,
  PAIRS_OR_PRIVATE,
  PRIVATE_PAIRS,
  PRIVATE_USE,
  TERMINAL_SEQUENCE,
} from '../../text/invisible.ts'

/** Letters of the Cyrillic alphabet that look like Latin ones. */
export const CYRILLIC_TWINS =
  '\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0455\u0458\u0410\u0415\u041e\u0420\u0421\u0425\u0406'
const LATIN_TWINS = 'aeopcyxisjAEOPCXI'

const NOT_PLAIN = /[^\t\n\r\x20-\x7e]/
/** Plain ASCII hides nothing in its characters and needs no folding. */
export const isPlain = (text: string): boolean => !NOT_PLAIN.test(text)

const SINGLE = `[${CONTROLS}${INVISIBLE}${PRIVATE_USE}]`
const PAIRS = `${INVISIBLE_PAIRS}|${PRIVATE_PAIRS}`
/** Two patterns, since one for both is three times as slow. */
const MAYBE_FOLDED = new RegExp(
  `[${INVISIBLE}${PAIRS_OR_PRIVATE}${CYRILLIC_TWINS}\uff01-\uff5e\u2018\u2019\u00a0\u3000\u2028\u2029]`,
)
const CONTROL = new RegExp(`[${CONTROLS}]`)
/** In the order in which they are tried: a sequence begins with a control character. */
const LEFT_OUT = new RegExp(`${TERMINAL_SEQUENCE}|${SINGLE}|${PAIRS}`, 'y')

/** Characters that may begin something that is left out: a pattern for each of all others would take too long. */
const MAY_BE_LEFT_OUT = new Uint8Array(0x10000)
for (const [, first = '', last = first] of `${SINGLE}${PAIRS}`.matchAll(
  /\\u([0-9a-f]{4})(?:-\\u([0-9a-f]{4}))?/g,
))
  MAY_BE_LEFT_OUT.fill(1, Number.parseInt(first, 16), Number.parseInt(last, 16) + 1)
MAY_BE_LEFT_OUT.fill(1, 0, 0x20).fill(1, 0x7f, 0xa0)
for (const kept of '\t\n\r') MAY_BE_LEFT_OUT[kept.charCodeAt(0)] = 0

function leftOutAt(text: string, at: number): number {
  LEFT_OUT.lastIndex = at
  return LEFT_OUT.test(text) ? LEFT_OUT.lastIndex - at : 0
}

function foldedCode(code: number): number {
  if (code >= 0xff01 && code <= 0xff5e) return code - 0xfee0
  if (code === 0x2018 || code === 0x2019) return 0x27
  if (code === 0xa0 || code === 0x3000) return 0x20
  if (code === 0x2028 || code === 0x2029) return 0x0a
  const twin = code >= 0x400 && code <= 0x4ff ? CYRILLIC_TWINS.indexOf(String.fromCharCode(code)) : -1
  return twin === -1 ? code : LATIN_TWINS.charCodeAt(twin)
}

export type Readable = {
  text: string
  /** Maps an offset of the readable text to the written one. */
  writtenAt: (at: number) => number
}

const CHUNK = 8192

/**
 * The text as a reader sees it: without invisible characters and colours, with look-alike letters, wide forms and the line
 * ends of Unicode as plain ones.
 */
export function readable(text: string): Readable {
  if (!MAYBE_FOLDED.test(text) && !CONTROL.test(text)) return { text, writtenAt: (at) => at }
  const positions = new Uint32Array(text.length + 1)
  const codes = new Uint16Array(text.length)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const leftOut = MAY_BE_LEFT_OUT[code] === 1 ? leftOutAt(text, at) : 0
    if (leftOut > 0) {
      at += leftOut - 1
      continue
    }
    positions[length] = at
    codes[length++] = code < 0x80 ? code : foldedCode(code)
  }
  positions[length] = text.length
  const parts: string[] = []
  for (let at = 0; at < length; at += CHUNK)
    parts.push(String.fromCharCode(...codes.subarray(at, Math.min(length, at + CHUNK))))
  return { text: parts.join(''), writtenAt: (at) => positions[at] ?? text.length }
}
