import { filterHash } from './term-hash.ts'

const shortest = 3
const longest = 40
const letters = /^[\p{L}\p{N}+#.]+$/u
const onlyDigits = /^[\p{N}.]+$/u

/** Numbers are exact or wrong, and a pair of characters is its own smallest part: neither has a nearest word. */
export const hasTrigrams = (word: string): boolean =>
  word.length >= shortest && word.length <= longest && letters.test(word) && !onlyDigits.test(word)

/** The runs of three characters of a word, its beginning and end marked. */
export function trigramsOf(word: string): string[] {
  const marked = `^${word}$`
  const found: string[] = []
  for (let i = 0; i + 3 <= marked.length; i++) found.push(marked.slice(i, i + 3))
  return found
}

/** Runs inside the word only: a word that contains it has them all. */
export const innerTrigramsOf = (word: string): string[] => trigramsOf(word).slice(1, -1)

export const gramHash = (gram: string): number => filterHash(gram)

/** Dice with one word, for many others: twice the common trigrams over all of both, 0 to 1. */
export function likenessTo(word: string): (other: string) => number {
  const own = new Set(trigramsOf(word))
  return (other) => {
    const others = new Set(trigramsOf(other))
    let common = 0
    for (const gram of others) if (own.has(gram)) common++
    return (2 * common) / (own.size + others.size)
  }
}
