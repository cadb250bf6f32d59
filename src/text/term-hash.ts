const START = 0x811c9dc5
const PRIME = 0x01000193

/** FNV-1a over the UTF-16 units of part of a text, 32 bits. A seed separates hashes of different purposes. */
export function fnv1a(text: string, seed = 0, from = 0, to = text.length): number {
  let value = START ^ seed
  for (let at = from; at < to; at += 1) value = Math.imul(value ^ text.charCodeAt(at), PRIME)
  return value
}

/** Words use the lower half of the number space, filters (tenancy, tags) the upper half. */
const WORD_BITS = 30

export const FILTERS_FROM = 2 ** WORD_BITS

function mix(text: string): number {
  let h = fnv1a(text)
  h ^= h >>> 16
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** Engines see only numbers, so user input cannot be query syntax; results are checked for collisions. */
export const wordHash = (term: string): number => mix(term) >>> (32 - WORD_BITS)

export const filterHash = (filter: string): number => (mix(filter) >>> (32 - WORD_BITS)) + FILTERS_FROM

export const isFilter = (hash: number): boolean => hash >= FILTERS_FROM

export const NUMBER_SPACE = 2 * FILTERS_FROM

const LONGEST = 40
/** At least three characters; rare Chinese characters take two UTF-16 units each. */
const LETTERS = /^[\p{L}\p{N}+#.]{3,}$/u
const ONLY_DIGITS = /^[\p{N}.]+$/u

/** Returns false for numbers and pairs of characters, which have no similar words. */
export const hasTrigrams = (word: string): boolean =>
  word.length <= LONGEST && LETTERS.test(word) && !ONLY_DIGITS.test(word)

/** Returns the trigrams in order. A character may take two UTF-16 units. */
export function trigramsIn(text: string): string[] {
  const characters = [...text]
  return characters.slice(2).map((last, i) => `${characters[i]}${characters[i + 1]}${last}`)
}

export const trigramsOf = (word: string): string[] => trigramsIn(`^${word}$`)

/** Trigrams inside the word only: any word that contains it has them all. */
export const innerTrigramsOf = (word: string): string[] => trigramsOf(word).slice(1, -1)

export const gramHash = (gram: string): number => filterHash(gram)
