import snowball from 'snowball-stemmers'
import { wordHash } from './term-hash.ts'

/** What one token means to the index. */
export type Reading = {
  /** The parts first; an identifier of several parts adds itself as a whole at the end. */
  terms: string[]
  hashes: number[]
  /** How many words the token counts for in the length of a text. */
  words: number
}

const longestTerm = 64
const onlyAscii = /^[\0-\x7f]*$/
const onlyLatin = /^[\p{sc=Latin}\p{N}]+$/u
const onlyCyrillic = /^\p{sc=Cyrillic}+$/u
const hasInnerCase = /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u
const lettersThenDigits = /^(\p{L}{3,})\p{Nd}+$/u
const versionNumber = /^[vV]?(\p{Nd}+(?:\.\p{Nd}+)+)$/u
const wordPart =
  /\p{Lu}+(?!\p{Ll})[\p{Nd}\p{M}]*|\p{Lu}?[\p{L}\p{M}]+?(?=\p{Lu}|\p{Nd}|$)\p{Nd}*|[\p{L}\p{N}\p{M}]+/gu

const english = snowball.newStemmer('english')
const russian = snowball.newStemmer('russian')

/** Lower-case, compatibility forms made one, accents of alphabetic scripts dropped. */
export function fold(text: string): string {
  if (onlyAscii.test(text)) return text.toLowerCase()
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .normalize('NFD')
      .replace(/[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g, '')
      // Some compatibility forms fall apart into signs and blanks, such as a bracketed number or a lone vowel mark.
      .replace(/["'*():%\s\p{Cc}]/gu, '')
      .normalize('NFC')
  )
}

const cut = (term: string) => (term.length <= longestTerm ? term : term.slice(0, longestTerm))

function stem(folded: string): string {
  const word = cut(folded)
  if (onlyLatin.test(word)) return english.stem(word)
  return onlyCyrillic.test(word) ? russian.stem(word) : word
}

const reading = (terms: string[], words: number): Reading => ({ terms, hashes: terms.map(wordHash), words })

/** `python3` is also about python. */
function plain(folded: string): Reading {
  const numbered = lettersThenDigits.exec(folded)?.[1]
  return numbered ? reading([cut(folded), stem(numbered)], 1) : reading(folded ? [stem(folded)] : [], 1)
}

/** `getUserById` and `get_user_by_id`: get, user, by, id, and getuserbyid for both. */
function identifier(token: string): Reading {
  const parts = token
    .split('_')
    .flatMap((piece) => piece.match(wordPart) ?? [])
    .map(fold)
    .filter(Boolean)
  if (parts.length < 2) return plain(parts[0] ?? '')
  return reading([...parts.map(stem), cut(parts.join(''))], parts.length)
}

/** `3.11.2` is found by 3, by 3.11 and by itself. */
function version(number: string): Reading {
  const parts = fold(number).split('.')
  return reading(
    parts.map((_, i) => cut(parts.slice(0, i + 1).join('.'))),
    1,
  )
}

function interpret(token: string): Reading {
  const number = versionNumber.exec(token)?.[1]
  if (number) return version(number)
  return token.includes('_') || hasInnerCase.test(token) ? identifier(token) : plain(fold(token))
}

/**
 * Readings that are known. A stem costs as much as reading a hundred bytes, and texts repeat their words; so a token is
 * looked for by a number that is made while its end is being found, and not even cut out of the text. A token that
 * falls on the place of another moves it to the next, and the last one out: the memory is bounded.
 */
const places = 2 ** 17
const neighbours = 4
const known = new Array<{ token: string; reading: Reading } | undefined>(places).fill(undefined)
/** The mark of each, side by side: those that do not match are passed over without being looked at. */
const marks = new Int32Array(places)

export const firstMark = 0x811c9dc5
export const markNext = (mark: number, code: number): number => Math.imul(mark ^ code, 0x01000193)
const placeFor = (mark: number) => (mark ^ (mark >>> 15)) & (places - 1)

const markOf = (token: string) => {
  let mark = firstMark
  for (let i = 0; i < token.length; i++) mark = markNext(mark, token.charCodeAt(i))
  return mark
}

/** Letter by letter, as `startsWith` costs several times as much on texts of this length. */
function standsAt(token: string, text: string, start: number): boolean {
  for (let i = 0; i < token.length; i++) if (token.charCodeAt(i) !== text.charCodeAt(start + i)) return false
  return true
}

/** The reading of the token that stands here in the text, if it is known. */
export function knownReading(text: string, start: number, end: number, mark: number): Reading | undefined {
  const place = placeFor(mark)
  for (let i = 0; i < neighbours; i++) {
    if (marks[place ^ i] !== mark) continue
    const found = known[place ^ i]
    if (found && found.token.length === end - start && standsAt(found.token, text, start))
      return found.reading
  }
  return undefined
}

/** Shorter pieces of a text are copies anyway. */
const shortestPiece = 13

/** A piece of a text keeps the whole text in memory for as long as it is kept itself; a copy does not. */
const ownCopy = (token: string): string =>
  token.length < shortestPiece ? token : Buffer.from(token, 'utf16le').toString('utf16le')

export function read(token: string): Reading {
  if (token.length > longestTerm) return interpret(token)
  const mark = markOf(token)
  const before = knownReading(token, 0, token.length, mark)
  if (before) return before
  const own = ownCopy(token)
  const reading = interpret(own)
  const place = placeFor(mark)
  for (let i = neighbours - 1; i > 0; i--) {
    known[place ^ i] = known[place ^ (i - 1)]
    marks[place ^ i] = marks[place ^ (i - 1)] as number
  }
  known[place] = { token: own, reading }
  marks[place] = mark
  return reading
}

/** A pair of characters of a script without spaces, or a sign: itself, folded. */
export const readAsIs = (text: string): Reading => reading([text], 1)
