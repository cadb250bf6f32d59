import { DIVIDER, fold, foldedPositions, withoutDividers } from './fold.ts'
import { interpret, partsOf, type Reading, readAsIs, STOP_WORDS } from './terms.ts'

const LETTERS = 26
const LOWER_A = 97
const LOWER_I = 8
const LOWER_Y = 24

/** The possible first two letters of words that match some terms. Most words are ruled out by them. */
export type Beginnings = Uint8Array

const letterAt = (term: string, at: number): number => term.charCodeAt(at) - LOWER_A
const isLetter = (letter: number): boolean => letter >= 0 && letter < LETTERS

/** Stemming keeps the beginning of an English word, except `y` to `i`: `dying` becomes `die`. */
export function beginningsOf(terms: Iterable<string>): Beginnings {
  const beginnings = new Uint8Array(LETTERS * LETTERS)
  for (const term of terms) {
    const first = letterAt(term, 0)
    const second = letterAt(term, 1)
    if (!isLetter(first)) continue
    const row = first * LETTERS
    if (term.length === 1) beginnings.fill(1, row, row + LETTERS)
    else if (isLetter(second)) {
      beginnings[row + second] = 1
      if (second === LOWER_I) beginnings[row + LOWER_Y] = 1
    }
  }
  return beginnings
}

const CASE_BIT = 32

/** Whether a word in one case, given by its first two letters A to Z, may match a term. */
export const mayBegin = (beginnings: Beginnings, first: number, second: number): boolean =>
  beginnings[((first | CASE_BIT) - LOWER_A) * LETTERS + (second | CASE_BIT) - LOWER_A] === 1

class RecentMap<V> {
  readonly #most: number
  #recent = new Map<string, V>()
  #earlier = new Map<string, V>()

  constructor(most: number) {
    this.#most = most
  }

  get(key: string): V | undefined {
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent
    const earlier = this.#earlier.get(key)
    if (earlier !== undefined) this.set(key, earlier)
    return earlier
  }

  set(key: string, value: V): void {
    if (this.#recent.size >= this.#most / 2) {
      this.#earlier = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(key, value)
  }
}

/** Caches a token at its second occurrence, so that unique words do not evict common ones. */
const readings = new RecentMap<Reading>(2 ** 17)
const newcomers = new RecentMap<Reading>(2 ** 14)

/** Longer tokens are mostly hashes and encoded data, which do not repeat. */
const MAX_TOKEN_LENGTH = 32

/** V8 copies shorter substrings. A longer one would keep its whole text in memory. */
const MIN_PIECE_LENGTH = 13

const ownCopy = (token: string): string =>
  token.length < MIN_PIECE_LENGTH ? token : Buffer.from(token, 'utf16le').toString('utf16le')

export function readToken(token: string): Reading {
  if (token.length > MAX_TOKEN_LENGTH) return interpret(token)
  const known = readings.get(token)
  if (known) return known
  const met = newcomers.get(token)
  if (met) {
    readings.set(ownCopy(token), met)
    return met
  }
  const own = ownCopy(token)
  const reading = interpret(own)
  newcomers.set(own, reading)
  return reading
}

const names = new RecentMap<string[]>(2 ** 13)

export function partsOfName(name: string): string[] {
  if (name.length > MAX_TOKEN_LENGTH) return partsOf(name)
  const known = names.get(name)
  if (known) return known
  const own = ownCopy(name)
  const parts = partsOf(own)
  names.set(own, parts)
  return parts
}

/** The only analyser: text to index terms for both engines, for cards, memory and the duplicate check. */
export type Token = {
  /** Position of the token in the text (UTF-16 offsets). */
  start: number
  end: number
  terms: string[]
}

/** Increment when the terms of a text change, so that a re-index finds stale cards. */
export const ANALYSER_VERSION = 5

export type Emit = (reading: Reading, start: number, end: number) => void

// Hangul has spaces, but its words carry endings; the last characters belong to no script.
const UNSPACED =
  '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}\\u30fc\\uff70\\uff9e\\uff9f'
const UNSPACED_TEXT = `[${UNSPACED}][${UNSPACED}\\p{M}]*`
const LETTER = `[[\\p{L}\\p{N}\\p{M}_]--[${UNSPACED}]]`
const WORD = `${LETTER}+(?:${DIVIDER}+${LETTER}+)*`
const FOREIGN_TOKEN = new RegExp(`\\p{Extended_Pictographic}|${UNSPACED_TEXT}|${WORD}`, 'gv')
const UNSPACED_START = new RegExp(`^[${UNSPACED}]`, 'v')
const PICTOGRAPH = /^\p{Extended_Pictographic}/u
const MAX_VERSION_PARTS = 5

const SMALL = 1
const CAPITAL = 2
const OTHER = 4
const FOREIGN = 8

const isDigit = (code: number) => code >= 48 && code <= 57
const isLetterCode = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)

const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  if (isLetterCode(code)) return code >= 97 ? SMALL : CAPITAL
  return isDigit(code) || code === 95 ? OTHER : 0
})
const kindOf = (code: number): number => (code < 128 ? (KINDS[code] as number) : FOREIGN)
const isWordCode = (code: number) => kindOf(code) !== 0

/** A single character of a script without spaces; the index has only pairs. */
export const isLoneCharacter = (text: string): boolean => UNSPACED_START.test(text) && [...text].length === 1

function emitUnspaced(text: string, start: number, emit: Emit): void {
  const folded = fold(text)
  const characters = [...folded]
  const known = folded === text ? undefined : foldedPositions(text, folded)
  const last = characters.length - 1
  let from = 0
  for (let i = 0; i === 0 ? last >= 0 : i < last; i++) {
    const first = characters[i] as string
    const pair = i < last ? `${first}${characters[i + 1]}` : first
    const at = known ? (known.starts[i] as number) : from
    const end = known ? (known.ends[Math.min(i + 1, last)] as number) : from + pair.length
    emit(readAsIs(pair), start + at, start + end)
    from += first.length
  }
}

/** Text beyond ASCII needs the slower Unicode tables, so it is cut out first. */
function emitForeign(text: string, start: number, emit: Emit): void {
  for (const match of text.matchAll(FOREIGN_TOKEN)) {
    const from = start + match.index
    if (UNSPACED_START.test(match[0])) emitUnspaced(match[0], from, emit)
    else if (PICTOGRAPH.test(match[0])) emit(readAsIs(match[0]), from, from + match[0].length)
    else {
      const reading = readToken(withoutDividers(match[0]))
      if (reading.words > 0) emit(reading, from, from + match[0].length)
    }
  }
}

type Codes = Uint16Array

function endOfVersion(codes: Codes, end: number): number {
  let last = end
  for (let parts = 1; parts < MAX_VERSION_PARTS; parts++) {
    if (codes[last] !== 46) break
    let next = last + 1
    while (isDigit(codes[next] as number)) next++
    if (next === last + 1 || isWordCode(codes[next] as number)) break
    last = next
  }
  return last
}

/** Returns the end of a token with its signs: `C++`, `c#`, `3.11.2`. */
function endWithSigns(codes: Codes, start: number, end: number): number {
  const next = codes[end]
  if (next === 46) {
    const digitsFrom = codes[start] === 118 || codes[start] === 86 ? start + 1 : start
    for (let i = digitsFrom; i < end; i++) if (!isDigit(codes[i] as number)) return end
    return digitsFrom < end ? endOfVersion(codes, end) : end
  }
  if (end - start !== 1 || !isLetterCode(codes[start] as number)) return end
  if (next === 35 && !isWordCode(codes[end + 1] as number)) return end + 1
  if (next === 43 && codes[end + 1] === 43 && !isWordCode(codes[end + 2] as number)) return end + 2
  return end
}

/** Zeros after the text, so that look-ahead needs no check. */
const BEYOND = 4
const USUAL_LENGTH = 2 ** 16
const usualCodes = new Uint16Array(USUAL_LENGTH + BEYOND)

function codesOf(text: string): Codes {
  const codes = text.length <= USUAL_LENGTH ? usualCodes : new Uint16Array(text.length + BEYOND)
  Buffer.from(codes.buffer).write(text, 'utf16le')
  codes.fill(0, text.length, text.length + BEYOND)
  return codes
}

const isPlainWord = (first: number, rest: number): boolean =>
  rest === SMALL ? first !== OTHER : rest === CAPITAL && first === CAPITAL

/** The callback must not scan; `beginnings` skips plain words that begin differently. */
export function scan(text: string, emit: Emit, beginnings?: Beginnings): void {
  const codes = codesOf(text)
  const length = text.length
  let at = 0
  while (at < length) {
    const first = kindOf(codes[at] as number)
    if (first === 0) {
      at++
      continue
    }
    const start = at
    let rest = 0
    for (let kind = kindOf(codes[++at] as number); kind !== 0; kind = kindOf(codes[++at] as number))
      rest |= kind
    if ((first | rest) >= FOREIGN) {
      emitForeign(text.slice(start, at), start, emit)
      continue
    }
    const mayPassOver = beginnings !== undefined && isPlainWord(first, rest)
    if (mayPassOver && !mayBegin(beginnings, codes[start] as number, codes[start + 1] as number)) continue
    const end = endWithSigns(codes, start, at)
    const token = text.slice(start, end)
    const reading = end === at ? readToken(token) : readWithSigns(token)
    if (reading.words > 0) emit(reading, start, end)
    at = end
  }
}

function readWithSigns(token: string): Reading {
  const last = token.charCodeAt(token.length - 1)
  return last === 43 || last === 35 ? readAsIs(token.toLowerCase()) : readToken(token)
}

const PIECE = 8192

const BETWEEN_TOKENS = /[ \t\n\r,;:/&=|()<>"'`!?]/g
const UNSPACED_ROW =
  /[[\p{sc=Han}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u3041-\u3096\u30a1-\u30fa\uac00-\ud7a3]--\p{M}]{3}/gv

const matchFrom = (pattern: RegExp, text: string, from: number) => {
  pattern.lastIndex = from
  return pattern.exec(text)
}

/** Without spaces tokens are pairs, so a piece starts with the last character of the previous piece. */
export function* piecesOf(text: string, usual = PIECE): Generator<{ from: number; piece: string }> {
  let from = 0
  while (text.length - from > 2 * usual) {
    const near = text.slice(from + usual, from + 2 * usual)
    const gap = matchFrom(BETWEEN_TOKENS, near, 0)
    const row = gap ? null : matchFrom(UNSPACED_ROW, near, 0)
    if (row) {
      const [first = '', shared = ''] = row[0]
      const at = from + usual + row.index + first.length
      yield { from, piece: text.slice(from, at + shared.length) }
      from = at
    } else {
      const end = gap
        ? from + usual + gap.index
        : (matchFrom(BETWEEN_TOKENS, text, from + 2 * usual)?.index ?? text.length)
      yield { from, piece: text.slice(from, end) }
      from = end
    }
  }
  yield { from, piece: from === 0 ? text : text.slice(from) }
}

export function tokens(text: string): Token[] {
  const found: Token[] = []
  scan(text, ({ terms }, start, end) => found.push({ start, end, terms }))
  return found
}

export function termsOf(text: string): string[] {
  const found: string[] = []
  scan(text, ({ terms }) => {
    for (const term of terms) found.push(term)
  })
  return found
}

// In characters; only the beginning of a pasted log is used.
const MAX_QUERY_LENGTH = 20_000

export function queryTerms(query: string): string[] {
  const asked = query.slice(0, MAX_QUERY_LENGTH)
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
