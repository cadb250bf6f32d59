import { normalForm } from './fold.ts'

/** Must not depend on the server: the web app uses this file too. */
const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** One sign can become 18 characters, so a text of such signs would take seconds (denial of service). */
const longestOf = (text: string): number => 2 * text.length + 1000

export function wordsOf(text: string): string[] {
  const words: string[] = []
  const writtenOut = normalForm(text, 'NFKC').slice(0, longestOf(text)).toLowerCase()
  for (const { segment, isWordLike } of segmenter.segment(writtenOut)) if (isWordLike) words.push(segment)
  return words
}

const SHINGLE = 3

/** Returns shingles of three words: two texts that share most of them say the same in the same order. */
export const shinglesOf = (text: string): Set<string> => shinglesOfWords(wordsOf(text))

export function shinglesOfWords(words: readonly string[]): Set<string> {
  if (words.length <= SHINGLE) return new Set(words.length === 0 ? [] : [words.join(' ')])
  return new Set(words.slice(SHINGLE - 1).map((_, i) => words.slice(i, i + SHINGLE).join(' ')))
}

/** Returns the Jaccard index of two sets, 0 to 1. */
export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 && b.size === 0) return 0
  const [small, large] = a.size < b.size ? [a, b] : [b, a]
  let common = 0
  for (const item of small) if (large.has(item)) common++
  return common / (a.size + b.size - common)
}

/** Number of lowest hashes that represent a text: enough to tell an overlap of a half from a third. */
const KEPT = 128

function numberOf(shingle: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < shingle.length; i++) h = Math.imul(h ^ shingle.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** A min-hash of a text: the lowest hashes of its shingles (three words in a row), sorted. */
export type TextSketch = Uint32Array

export const sketchOf = (text: string): TextSketch =>
  Uint32Array.from(new Set(Array.from(shinglesOf(text), numberOf)))
    .sort()
    .subarray(0, KEPT)

/** Returns an estimate of the Jaccard index that `overlap` computes. */
export function sketchOverlap(a: TextSketch, b: TextSketch): number {
  const has = new Set(b)
  const lowest = Uint32Array.from(new Set([...a, ...b]))
    .sort()
    .subarray(0, KEPT)
  const ofA = new Set(a)
  const common = lowest.filter((number) => ofA.has(number) && has.has(number)).length
  return lowest.length === 0 ? 0 : common / lowest.length
}

export const encodeSketch = (sketch: TextSketch): string =>
  Buffer.from(sketch.slice().buffer).toString('base64')

export const decodeSketch = (text: string): TextSketch =>
  new Uint32Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer)

/** Two cards that share this part of their shingles (three words in a row) are duplicates. */
export const DUPLICATE = 0.8
export const SIMILAR = 0.5
