import { filterHash } from './term-hash.ts'

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
