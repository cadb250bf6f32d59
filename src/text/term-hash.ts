const START = 0x811c9dc5
const PRIME = 0x01000193

/** FNV-1a over the UTF-16 units of a part of a text, 32 bits. A seed keeps hashes of different purposes apart. */
export function fnv1a(text: string, seed = 0, from = 0, to = text.length): number {
  let value = START ^ seed
  for (let at = from; at < to; at += 1) value = Math.imul(value ^ text.charCodeAt(at), PRIME)
  return value
}

/** Words live in the lower half of the index's number space, what narrows a search (tenancy, tags …) in the upper. */
const WORD_BITS = 30

/** Filters are numbered from here on. */
export const FILTERS_FROM = 2 ** WORD_BITS

function mix(text: string): number {
  let h = fnv1a(text)
  h ^= h >>> 16
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/**
 * The engines index numbers, not words: small, and nothing that a user types can be mistaken for query syntax.
 * Two words in a million share a number by chance; what a result shows is checked against its text.
 */
export const wordHash = (term: string): number => mix(term) >>> (32 - WORD_BITS)

export const filterHash = (filter: string): number => (mix(filter) >>> (32 - WORD_BITS)) + FILTERS_FROM

export const isFilter = (hash: number): boolean => hash >= FILTERS_FROM

/** Every number of the index is below this. */
export const NUMBER_SPACE = 2 * FILTERS_FROM

const LONGEST = 40
/** At least three characters, however many units each takes: a rare one of Chinese takes two. */
const LETTERS = /^[\p{L}\p{N}+#.]{3,}$/u
const ONLY_DIGITS = /^[\p{N}.]+$/u

/** Numbers are exact or wrong, and a pair of characters is its own smallest part: neither has a nearest word. */
export const hasTrigrams = (word: string): boolean =>
  word.length <= LONGEST && LETTERS.test(word) && !ONLY_DIGITS.test(word)

/** The trigrams of a text (three characters in a row), in order. A character may take two units. */
export function trigramsIn(text: string): string[] {
  const characters = [...text]
  return characters.slice(2).map((last, i) => `${characters[i]}${characters[i + 1]}${last}`)
}

/** Those of a word, its beginning and end marked. */
export const trigramsOf = (word: string): string[] => trigramsIn(`^${word}$`)

/** Trigrams inside the word only: a word that contains it has them all. */
export const innerTrigramsOf = (word: string): string[] => trigramsOf(word).slice(1, -1)

export const gramHash = (gram: string): number => filterHash(gram)
