import { fold } from './fold.ts'
import { STOP_WORDS } from './stopwords.ts'
import { LONGEST_PACKED, packedReading, packNext } from './token-cache.ts'
import { interpret, type Reading, readAsIs, readForeign } from './token-terms.ts'

/**
 * The one analyser: text in, index terms out, for both engines, for cards, memory and the duplicate check.
 * The engines only ever see ready terms, so they agree on what matches.
 */
export type Token = {
  /** Where the token stands in the text as given (UTF-16 offsets), for snippets. */
  start: number
  end: number
  terms: string[]
}

/** Bump when the terms of a text change, so that a re-index knows which cards are stale. */
export const ANALYSER_VERSION = 2

export type Emit = (reading: Reading, start: number, end: number) => void

// Scripts written without spaces between words; Hangul has spaces, but its words carry endings, so pairs serve it too.
const UNSPACED =
  '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}\\u30fc\\uff70'
const RUN = `[${UNSPACED}][${UNSPACED}\\p{M}]*`
const WORD = `[[\\p{L}\\p{N}\\p{M}_]--[${UNSPACED}]]+`
const FOREIGN_TOKEN = new RegExp(`\\p{Extended_Pictographic}|${RUN}|${WORD}`, 'gv')
const RUN_START = new RegExp(`^[${UNSPACED}]`, 'v')
const PICTOGRAPH = /^\p{Extended_Pictographic}/u
const MOST_VERSION_PARTS = 5

const isDigit = (code: number) => code >= 48 && code <= 57
const isLetter = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
const isWordCode = (code: number) => isLetter(code) || isDigit(code) || code === 95 || code >= 128

/** Pairs of neighbouring characters, each with its own place where folding has kept the places. */
function emitRun(text: string, start: number, emit: Emit): void {
  const folded = fold(text)
  const characters = [...folded]
  const pairs = characters.length < 2 ? characters : characters.slice(1).map((c, i) => `${characters[i]}${c}`)
  const keepsPlaces = characters.length === text.length && folded.length === text.length
  pairs.forEach((pair, i) => {
    const from = keepsPlaces ? start + i : start
    emit(readAsIs(pair), from, keepsPlaces ? from + pair.length : start + text.length)
  })
}

/** Text beyond ASCII needs the Unicode tables; it is cut out first, so that the rest need not pay for them. */
function emitForeign(text: string, start: number, emit: Emit): void {
  for (const match of text.matchAll(FOREIGN_TOKEN)) {
    const from = start + match.index
    if (RUN_START.test(match[0])) emitRun(match[0], from, emit)
    else if (PICTOGRAPH.test(match[0])) emit(readAsIs(match[0]), from, from + match[0].length)
    else {
      const reading = readForeign(match[0])
      if (reading.words > 0) emit(reading, from, from + match[0].length)
    }
  }
}

type Codes = Uint16Array

/** The end of `3.11.2` or `v1.2`, given the end of its first number. */
function endOfVersion(codes: Codes, end: number): number {
  let last = end
  for (let parts = 1; parts < MOST_VERSION_PARTS; parts++) {
    if (codes[last] !== 46) break
    let next = last + 1
    while (isDigit(codes[next] as number)) next++
    if (next === last + 1 || isWordCode(codes[next] as number)) break
    last = next
  }
  return last
}

/** The end of a token, signs included that belong to it: `C++`, `c#`, `3.11.2`. */
function endWithSigns(codes: Codes, start: number, end: number): number {
  const next = codes[end]
  if (next === 46) {
    const digitsFrom = codes[start] === 118 || codes[start] === 86 ? start + 1 : start
    for (let i = digitsFrom; i < end; i++) if (!isDigit(codes[i] as number)) return end
    return digitsFrom < end ? endOfVersion(codes, end) : end
  }
  if (end - start !== 1 || !isLetter(codes[start] as number)) return end
  if (next === 35 && !isWordCode(codes[end + 1] as number)) return end + 1
  if (next === 43 && codes[end + 1] === 43 && !isWordCode(codes[end + 2] as number)) return end + 2
  return end
}

/** Whether a plain word that begins so is worth reading; identifiers, numbers and other scripts always are. */
export type Worth = (first: number, second: number) => boolean

const isSmall = (code: number) => code >= 97 && code <= 122

/** What stands behind a text, so that looking a few signs ahead needs no check. */
const BEYOND = 4
const USUAL_LENGTH = 2 ** 16
const usualCodes = new Uint16Array(USUAL_LENGTH + BEYOND)

/** A text's codes side by side: reading them so takes a tenth of asking the string for each. */
function codesOf(text: string): Codes {
  const codes = text.length <= USUAL_LENGTH ? usualCodes : new Uint16Array(text.length + BEYOND)
  Buffer.from(codes.buffer).write(text, 'utf16le')
  codes.fill(0, text.length, text.length + BEYOND)
  return codes
}

/** Walks over a text and hands out every token's reading with its place. What is handed to must not scan in turn. */
export function scan(text: string, emit: Emit, isWorth?: Worth): void {
  const codes = codesOf(text)
  const length = text.length
  let at = 0
  while (at < length) {
    let code = codes[at] as number
    if (!isWordCode(code)) {
      at++
      continue
    }
    const start = at
    let number = 0
    let isAscii = true
    let isPlain = isLetter(code)
    while (isWordCode(code)) {
      if (at - start < LONGEST_PACKED) number = packNext(number, at - start, code)
      if (code >= 128) isAscii = false
      if (++at === length) break
      code = codes[at] as number
      if (isPlain && !isSmall(code) && isWordCode(code)) isPlain = false
    }
    if (!isAscii) {
      emitForeign(text.slice(start, at), start, emit)
      continue
    }
    const end = endWithSigns(codes, start, at)
    if (isWorth && isPlain && end === at && !isWorth(codes[start] as number, codes[start + 1] as number))
      continue
    const reading =
      end === at && end - start <= LONGEST_PACKED
        ? packedReading(end - start, () => interpret(text.slice(start, end)))
        : readWithSigns(text.slice(start, end))
    if (reading.words > 0) emit(reading, start, end)
    at = end
  }
}

function readWithSigns(token: string): Reading {
  const last = token.charCodeAt(token.length - 1)
  return last === 43 || last === 35 ? readAsIs(token.toLowerCase()) : interpret(token)
}

/** The tokens of a text in order, each with its place and its terms. */
export function tokens(text: string, isWorth?: Worth): Token[] {
  const found: Token[] = []
  scan(text, ({ terms }, start, end) => found.push({ start, end, terms }), isWorth)
  return found
}

const pairOf = (first: number, second: number) => ((first | 32) << 8) | (second & 255)

/**
 * Whether a word may have one of the terms, told by its beginning, without its stem, which costs far more: a stem begins
 * as its word does (dying and die apart, hence the y). A word of one letter is always worth reading.
 */
export function mayHave(terms: ReadonlySet<string>): Worth {
  const beginnings = new Uint8Array(2 ** 16)
  for (const term of terms)
    for (const second of [term.charCodeAt(1), 'y'.charCodeAt(0)])
      beginnings[pairOf(term.charCodeAt(0), second)] = 1
  return (first, second) => !isSmall(second) || beginnings[pairOf(first, second)] === 1
}

/** Every term of a text in order, repeated as often as it occurs: what an index is fed with. */
export function termsOf(text: string): string[] {
  const found: string[] = []
  scan(text, ({ terms }) => {
    for (const term of terms) found.push(term)
  })
  return found
}

// Nobody types more; a pasted log file is asked by its beginning.
const LONGEST_QUERY = 20_000

/** The distinct terms of a query in order, without stop words unless there is nothing else. */
export function queryTerms(query: string): string[] {
  const asked = query.slice(0, LONGEST_QUERY)
  const meaningful = new Set<string>()
  const every = new Set<string>()
  for (const token of tokens(asked)) {
    const isStopWord = token.terms.length === 1 && STOP_WORDS.has(fold(asked.slice(token.start, token.end)))
    for (const term of token.terms) {
      every.add(term)
      if (!isStopWord) meaningful.add(term)
    }
  }
  return meaningful.size > 0 ? [...meaningful] : [...every]
}
