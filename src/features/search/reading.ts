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

// A stem costs as much as reading a hundred bytes, and texts repeat their words. Two generations: when the young one is
// full it becomes the old one, so that the words in use stay known and the memory is bounded.
let young = new Map<string, Reading>()
let old = new Map<string, Reading>()
const generation = 40_000

function remember(token: string, found: Reading): Reading {
  if (young.size >= generation) {
    old = young
    young = new Map()
  }
  young.set(token, found)
  return found
}

export function read(token: string): Reading {
  const known = young.get(token)
  if (known) return known
  if (token.length > longestTerm) return interpret(token)
  return remember(token, old.get(token) ?? interpret(token))
}

/** A pair of characters of a script without spaces, or a sign: itself, folded. */
export const readAsIs = (text: string): Reading => reading([text], 1)
