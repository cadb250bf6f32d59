import snowball from 'snowball-stemmers'
import { wordHash } from './term-hash.ts'

/** What one token means to the index. */
export type Reading = {
  /** The parts first; an identifier of several parts adds itself as a whole at the end. */
  terms: string[]
  hashes: number[]
  /** How many words the token counts for in the length of a text; none where it means nothing. */
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
  if (numbered) return reading([cut(folded), stem(numbered)], 1)
  return folded ? reading([stem(folded)], 1) : reading([], 0)
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

/** The meaning of a token, worked out; that costs as much as passing over a hundred known ones. */
export function interpret(token: string): Reading {
  const number = versionNumber.exec(token)?.[1]
  if (number) return version(number)
  return token.includes('_') || hasInnerCase.test(token) ? identifier(token) : plain(fold(token))
}

/** Shorter pieces of a text are copies anyway. */
const shortestPiece = 13

/** A piece of a text keeps the whole text in memory for as long as it is kept itself; a copy does not. */
const ownCopy = (token: string): string =>
  token.length < shortestPiece ? token : Buffer.from(token, 'utf16le').toString('utf16le')

const mostForeign = 2 ** 14
const foreign = new Map<string, Reading>()

/** What a token beyond ASCII means; see `known-tokens.ts` for the others. */
export function readForeign(token: string): Reading {
  if (token.length > longestTerm) return interpret(token)
  const before = foreign.get(token)
  if (before) return before
  const own = ownCopy(token)
  const reading = interpret(own)
  if (foreign.size >= mostForeign) foreign.clear()
  foreign.set(own, reading)
  return reading
}

/** A pair of characters of a script without spaces, or a sign: itself, folded. */
export const readAsIs = (text: string): Reading => reading([text], 1)
