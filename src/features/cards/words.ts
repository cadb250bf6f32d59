import { normalForm } from '../../text/normal-form.ts'

/** The words of a text in any language, lower-cased. Nothing of the server is used: the web app reads by the same rule. */
const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** Signs that Unicode writes out are few in a text. One of them is 18 characters, so a text of such signs would be read for seconds. */
const longestOf = (text: string): number => 2 * text.length + 1000

export function wordsOf(text: string): string[] {
  const words: string[] = []
  const writtenOut = normalForm(text, 'NFKC').slice(0, longestOf(text)).toLowerCase()
  for (const { segment, isWordLike } of segmenter.segment(writtenOut)) if (isWordLike) words.push(segment)
  return words
}

const SHINGLE = 3

/** Shingles of three words: two texts that share most of them say the same in the same order. */
export const shinglesOf = (text: string): Set<string> => shinglesOfWords(wordsOf(text))

export function shinglesOfWords(words: readonly string[]): Set<string> {
  if (words.length <= SHINGLE) return new Set(words.length === 0 ? [] : [words.join(' ')])
  return new Set(words.slice(SHINGLE - 1).map((_, i) => words.slice(i, i + SHINGLE).join(' ')))
}

/** Jaccard: the share of what either has that both have, 0 to 1. */
export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 && b.size === 0) return 0
  const [small, large] = a.size < b.size ? [a, b] : [b, a]
  let common = 0
  for (const item of small) if (large.has(item)) common++
  return common / (a.size + b.size - common)
}
