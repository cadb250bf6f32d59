import { frequencies } from '../features/cards/indexing/document.ts'
import type { Candidate } from '../search-index/packing.ts'

/** The two constants of BM25: how fast repetition stops to count, and how much long texts are held back. */
const saturation = 1.2
const lengthShare = 0.7

/** One thing that is asked for: a word, or the words that may be meant by it, each with its worth and what its lists cost. */
export type Wanted = readonly { hash: number; postings: number; worth: number }[]

/** How much a word says that occurs in `cards` of `all` cards. */
export const rarity = (cards: number, all: number): number => {
  const known = Math.max(all, cards, 1)
  return Math.log(1 + (known - cards + 0.5) / (cards + 0.5))
}

const dampingOf = (length: number, averageLength: number) =>
  saturation * (1 - lengthShare + (lengthShare * length) / averageLength)

const highestImpact = 255

/** How much an occurrence weighs in a card of this length, without the word's rarity, in a byte. */
export function impactOf(level: number, length: number, averageLength: number): number {
  const frequency = frequencies[level] as number
  const share = frequency / (frequency + dampingOf(length, averageLength))
  return Math.max(1, Math.round(share * highestImpact))
}

/** Where `hash` stands in the sorted hashes, or -1. */
export function placeOf(hashes: ArrayLike<number>, hash: number): number {
  let low = 0
  let high = hashes.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = hashes[middle] as number
    if (found === hash) return middle
    if (found < hash) low = middle + 1
    else high = middle - 1
  }
  return -1
}

/** BM25 over all that is wanted; of the words that may be meant by one, the best counts. */
export function score(candidate: Candidate, wanted: readonly Wanted[], averageLength: number): number {
  const { hashes, levels, length } = candidate
  const damping = dampingOf(length, averageLength)
  let sum = 0
  for (const alternatives of wanted) {
    let best = 0
    for (const { hash, worth } of alternatives) {
      const place = placeOf(hashes, hash)
      if (place < 0) continue
      const frequency = frequencies[levels[place] as number] as number
      const gain = (worth * frequency * (saturation + 1)) / (frequency + damping)
      if (gain > best) best = gain
    }
    sum += best
  }
  return sum
}

/** The numbers of the candidates that match at all, best first; ties go to the newer card. */
export function ranked(
  candidates: readonly Candidate[],
  wanted: readonly Wanted[],
  averageLength: number,
): number[] {
  return candidates
    .map((candidate) => ({ docNo: candidate.docNo, points: score(candidate, wanted, averageLength) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points || b.docNo - a.docNo)
    .map(({ docNo }) => docNo)
}
