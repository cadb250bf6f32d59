import snowball from 'snowball-stemmers'
import { stemEnglish } from './english-stem.ts'
import { fold } from './fold.ts'
import { PRODUCT_NAMES } from './product-names.ts'
import { wordHash } from './term-hash.ts'

/** What one token means to the index. */
export type Reading = {
  /** The parts first; an identifier of several parts adds itself as a whole at the end. */
  terms: string[]
  hashes: number[]
  /** How many words the token counts for in the length of a text; none where it means nothing. */
  words: number
}

const LONGEST_TERM = 64
const ONLY_LATIN = /^[\p{sc=Latin}\p{N}]+$/u
const ONLY_CYRILLIC = /^\p{sc=Cyrillic}+$/u
const HAS_INNER_CASE = /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u
const LETTERS_THEN_DIGITS = /^(\p{L}{3,})\p{Nd}+$/u
const VERSION_NUMBER = /^[vV]?(\p{Nd}+(?:\.\p{Nd}+)+)$/u
const HAS_DIGIT = /\p{Nd}/u
const WORD_PART =
  /\p{Lu}+(?!\p{Ll})[\p{Nd}\p{M}]*|\p{Lu}?[\p{L}\p{M}]+?(?=\p{Lu}|\p{Nd}|$)\p{Nd}*|[\p{L}\p{N}\p{M}]+/gu

const russian = snowball.newStemmer('russian')

const cut = (term: string) => (term.length <= LONGEST_TERM ? term : term.slice(0, LONGEST_TERM))

/** The pieces that inner capitals make of a word, folded. */
const piecesOf = (word: string): string[] => (word.match(WORD_PART) ?? []).map(fold).filter(Boolean)

/** What the names of products would be as several words: of `javascript` java and script. They are their own stems. */
const PIECES_OF_PRODUCTS: ReadonlyMap<string, readonly string[]> = new Map(
  PRODUCT_NAMES.split(/\s+/).map((name) => [fold(name), piecesOf(name)]),
)
/** What other forms of a name are cut to: of `iphones` iphon. A name in -s has none, and is cut to another word: `ios` to io. */
const NAMES_BY_STEM: ReadonlyMap<string, string> = new Map(
  [...PIECES_OF_PRODUCTS.keys()]
    .filter((name) => !name.endsWith('s'))
    .map((name) => [stemEnglish(name), name]),
)
/** All beginnings of these names, so that a piece that begins none is not put together with others. */
const BEGINNINGS_OF_PRODUCTS: ReadonlySet<string> = new Set(
  [...PIECES_OF_PRODUCTS.keys()].flatMap((name) => [...name].map((_, i) => name.slice(0, i + 1))),
)
const MOST_PIECES = Math.max(...[...PIECES_OF_PRODUCTS.values()].map(({ length }) => length))

function stem(folded: string): string {
  const word = cut(folded)
  if (PIECES_OF_PRODUCTS.has(word)) return word
  if (ONLY_LATIN.test(word)) {
    const stemmed = stemEnglish(word)
    return NAMES_BY_STEM.get(stemmed) ?? stemmed
  }
  return ONLY_CYRILLIC.test(word) ? russian.stem(word) : word
}

const reading = (terms: string[], words: number): Reading => ({ terms, hashes: terms.map(wordHash), words })

/** A token as it is: ids, hashes and numbers have no other forms. */
const asIs = (folded: string): Reading => (folded ? reading([cut(folded)], 1) : reading([], 0))

/** `python3` is also about python. */
function plain(folded: string): Reading {
  const numbered = LETTERS_THEN_DIGITS.exec(folded)?.[1]
  if (numbered) return reading([cut(folded), stem(numbered)], 1)
  return folded && !HAS_DIGIT.test(folded) ? reading([stem(folded)], 1) : asIs(folded)
}

/** The words that somebody may write for the name of a product, folded: `mac os` for `macos`. Undefined for other words. */
export const spokenProduct = (folded: string): string | undefined => PIECES_OF_PRODUCTS.get(folded)?.join(' ')

/** Pieces, with those put together again that are the name of a product: of `JavaScriptError` javascript and error. */
function withProducts(pieces: readonly string[]): string[] {
  const words: string[] = []
  for (let at = 0; at < pieces.length; ) {
    const first = pieces[at] as string
    let length = BEGINNINGS_OF_PRODUCTS.has(first) ? Math.min(MOST_PIECES, pieces.length - at) : 1
    while (length > 1 && !PIECES_OF_PRODUCTS.has(pieces.slice(at, at + length).join(''))) length--
    words.push(length === 1 ? first : pieces.slice(at, at + length).join(''))
    at += length
  }
  return words
}

/** The words that a name is made of: of `getUserById` get, user, by and id. */
export const partsOf = (token: string): string[] =>
  token.split('_').flatMap((piece) => withProducts(piecesOf(piece)))

/**
 * `getUserById` and `get_user_by_id`: get, user, by, id, and getuserbyid for both. The whole name is a stem too, so that
 * `localStorage` and localstorage are the same word.
 */
function identifier(token: string): Reading {
  const parts = partsOf(token)
  if (parts.length < 2) return plain(parts[0] ?? '')
  return reading([...parts.map(stem), stem(parts.join(''))], parts.length)
}

/** `3.11.2` is found by 3, by 3.11 and by itself. */
function version(number: string): Reading {
  const folded = cut(fold(number))
  const beginnings = [...folded.matchAll(/\./g)].map(({ index }) => folded.slice(0, index))
  return reading([...beginnings, folded], 1)
}

/** No name is longer; a longer token stands for itself by its beginning. */
const LONGEST_NAME = 256
/** Of Base64 and the like a piece of equal kind has two characters on average, of a name five. */
const SHORTEST_ENCODED = 16
const ENCODED_PIECE = 3

const kindOf = (code: number): number => {
  if (code >= 97) return 1
  return code >= 65 ? 2 : 3
}

/** Whether a token is encoded data: its letters and digits change too often for a name. */
function isEncoded(token: string): boolean {
  if (token.length < SHORTEST_ENCODED) return false
  let pieces = 1
  let before = kindOf(token.charCodeAt(0))
  for (let i = 1; i < token.length; i++) {
    const kind = kindOf(token.charCodeAt(i))
    // A capital begins a piece together with the small letters that follow it.
    if (kind !== before && !(kind === 1 && before === 2)) pieces++
    before = kind
  }
  return pieces * ENCODED_PIECE > token.length
}

/** Computes the meaning of a token; that costs as much as many look-ups of known ones. */
export function interpret(token: string): Reading {
  if (token.length > LONGEST_NAME || isEncoded(token)) return asIs(fold(token.slice(0, LONGEST_NAME)))
  const number = VERSION_NUMBER.exec(token)?.[1]
  if (number) return version(number)
  return token.includes('_') || HAS_INNER_CASE.test(token) ? identifier(token) : plain(fold(token))
}

/** A pair of characters of a script without spaces, or a sign: itself, folded. */
export const readAsIs = (text: string): Reading => ({ terms: [text], hashes: [wordHash(text)], words: 1 })
