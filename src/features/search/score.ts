import { frequencies } from './document.ts'
import type { Candidate } from './engine.ts'

/** The two constants of BM25: how fast repetition stops to count, and how much long texts are held back. */
const saturation = 1.2
const lengthShare = 0.7

/** One thing that is asked for: a word, or the words that may be meant by it, each with its worth. */
export type Wanted = readonly { hash: number; worth: number }[]

export type Scored = { candidate: Candidate; score: number }

/** How much a word says that occurs in `cards` of `all` cards. */
export const rarity = (cards: number, all: number): number => {
  const known = Math.max(all, cards, 1)
  return Math.log(1 + (known - cards + 0.5) / (cards + 0.5))
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
  const damping = saturation * (1 - lengthShare + (lengthShare * length) / averageLength)
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

/** The candidates that match at all, best first; ties go to the newer card. */
export function ranked(
  candidates: Iterable<Candidate>,
  wanted: readonly Wanted[],
  averageLength: number,
): Scored[] {
  const found: Scored[] = []
  for (const candidate of candidates) {
    const points = score(candidate, wanted, averageLength)
    if (points > 0) found.push({ candidate, score: points })
  }
  return found.sort((a, b) => b.score - a.score || b.candidate.docNo - a.candidate.docNo)
}
