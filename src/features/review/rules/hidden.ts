import { type Finding, type Trigger, trigger } from '../rule.ts'

const HIDING_STYLE =
  /style\s{0,3}=\s{0,3}["'][^"'>]{0,300}?(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|font-size\s{0,3}:\s{0,3}[01](?:px|pt|em|rem|%)?\s{0,3}[;"']|opacity\s{0,3}:\s{0,3}0(?![.\d])|(?<=[;"' ])color\s{0,3}:\s{0,3}(?:#fff(?:fff)?\b|white|transparent)|(?:left|top|text-indent)\s{0,3}:\s{0,3}-\d{3,6})/iy

/** Text that a page does not show but that an agent reads. */
export const HIDDEN_TRIGGERS: readonly Trigger[] = [
  trigger('hidden_text', 'warn', 'style=¦style =', HIDING_STYLE),
  trigger('hidden_text', 'warn', '<font', /<font[^>]{0,60}color\s{0,2}=\s{0,2}["']?(?:#f{3,6}|white)/iy),
  trigger(
    'hidden_text',
    'warn',
    '<span hidden¦<div hidden¦<p hidden¦<section hidden',
    /<(?:span|div|p|section) hidden\b/iy,
  ),
  trigger(
    'hidden_text',
    'warn',
    '<!--',
    /<!--[^>]{0,600}?\b(?:assistant|agents?|model|llm|the user|ai|instructions?|approve[ds]?)\b/iy,
  ),
  trigger('hidden_text', 'note', '<!--', /<!--(?:\s{1,20}[^\s>]{1,60}){5}/iy),
  trigger('hidden_text', 'warn', '[//]:¦[comment]:', /\[(?:\/\/|comment)\]: ?(?:#|<>) ?["'(]/iy),
  trigger(
    'hidden_text',
    'warn',
    'data:text/¦data:application/¦data:image/svg',
    /data:(?:text\/(?:html|javascript|xml)|application\/(?:x-)?(?:javascript|xhtml|xml|octet-stream)|image\/svg\+xml)[;,]/iy,
  ),
]

/** Invisible characters, without the direction marks that right-to-left text needs. */
const INVISIBLE =
  /[\u00ad\u180e\u200b-\u200d\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/u
const INVISIBLE_SEQUENCES =
  /[\u00ad\u180e\u200b-\u200d\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]{1,4000}/gu
const TAGS_OR_OVERRIDES = /[\u202a-\u202e\u{e0000}-\u{e007f}]/u
const JOINERS_ONLY = /^[\u200c\u200d]$/
const PLAIN = /[\x21-\x7e]/
/** Flags of regions are written as a black flag and tags. */
const BLACK_FLAG = /\u{1f3f4}$/u
const LONGEST_HARMLESS = 2

function weigh(text: string, start: number, end: number): Finding['severity'] | undefined {
  const sequence = text.slice(start, end)
  const before = text.slice(Math.max(0, start - 2), start)
  if (TAGS_OR_OVERRIDES.test(sequence)) return BLACK_FLAG.test(before) ? undefined : 'block'
  if (end - start > LONGEST_HARMLESS) return 'block'
  const stands = PLAIN.test(before.slice(-1)) || PLAIN.test(text.slice(end, end + 1))
  // Joiners belong to emoji and to many scripts, and some editors write a byte order mark at the start.
  if (JOINERS_ONLY.test(sequence) && !stands) return undefined
  return start === 0 && sequence === '\ufeff' ? undefined : 'warn'
}

const CYRILLIC_TWINS =
  '\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0455\u0458\u0410\u0415\u041e\u0420\u0421\u0425\u0406'
const LATIN_TWINS = 'aeopcyxisjAEOPCXI'
const MIXED_WORD = new RegExp(`[A-Za-z][${CYRILLIC_TWINS}]|[${CYRILLIC_TWINS}][A-Za-z]`)

const SPACED_LETTERS = /(?<![A-Za-z])(?:[A-Za-z] {1,3}){9}[A-Za-z](?![A-Za-z])/g
const SINGLE_LETTERS = /[A-Za-z] [A-Za-z] [A-Za-z] /

const NOT_ASCII = /[^\0-\x7f]/
export const hasOtherLetters = (text: string): boolean => NOT_ASCII.test(text)

/** Finds what no keyword shows: invisible characters, letters of two alphabets in one word, words in single letters. */
export function findHiddenCharacters(text: string, isAscii: boolean): Finding[] {
  const found: Finding[] = []
  if (!isAscii) {
    if (INVISIBLE.test(text))
      for (const match of text.matchAll(INVISIBLE_SEQUENCES)) {
        const [start, end] = [match.index, match.index + match[0].length]
        const severity = weigh(text, start, end)
        if (severity) found.push({ rule: 'hidden_text', severity, start, end })
      }
    const mixed = MIXED_WORD.exec(text)
    if (mixed) found.push({ rule: 'hidden_text', severity: 'warn', start: mixed.index, end: mixed.index + 2 })
  }
  if (SINGLE_LETTERS.test(text))
    for (const match of text.matchAll(SPACED_LETTERS))
      found.push({
        rule: 'hidden_text',
        severity: 'warn',
        start: match.index,
        end: match.index + match[0].length,
      })
  return found
}

const FOLDED = new RegExp(
  `[${CYRILLIC_TWINS}\uff01-\uff5e\u2018\u2019\u00a0\u3000\u00ad\u180e\u200b-\u200d\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]`,
)
const isInvisible = (code: number): boolean =>
  code === 0xad ||
  code === 0x180e ||
  code === 0xfeff ||
  (code >= 0x200b && code <= 0x200d) ||
  (code >= 0x202a && code <= 0x202e) ||
  (code >= 0x2060 && code <= 0x2064) ||
  (code >= 0x2066 && code <= 0x2069)

function foldedCode(code: number): number {
  if (code >= 0xff01 && code <= 0xff5e) return code - 0xfee0
  if (code === 0x2018 || code === 0x2019) return 0x27
  if (code === 0xa0 || code === 0x3000) return 0x20
  const twin = code >= 0x400 && code <= 0x4ff ? CYRILLIC_TWINS.indexOf(String.fromCharCode(code)) : -1
  return twin === -1 ? code : LATIN_TWINS.charCodeAt(twin)
}

export type Readable = {
  text: string
  /** Maps an offset of the readable text to the written one. */
  writtenAt: (at: number) => number
}

const CHUNK = 8192

/** The text as a reader sees it: without invisible characters, with look-alike letters and wide forms as plain ones. */
export function readable(text: string): Readable {
  if (!FOLDED.test(text)) return { text, writtenAt: (at) => at }
  const positions = new Uint32Array(text.length + 1)
  const codes = new Uint16Array(text.length)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 0x80 && isInvisible(code)) continue
    positions[length] = at
    codes[length++] = code < 0x80 ? code : foldedCode(code)
  }
  positions[length] = text.length
  const parts: string[] = []
  for (let at = 0; at < length; at += CHUNK)
    parts.push(String.fromCharCode(...codes.subarray(at, Math.min(length, at + CHUNK))))
  return { text: parts.join(''), writtenAt: (at) => positions[at] ?? text.length }
}
