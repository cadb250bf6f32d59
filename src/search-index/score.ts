import { type Bm25, dampingOf, gainOf } from '../text/bm25.ts'
import type { Candidate } from './packing.ts'
import { positionOf } from './sorted-numbers.ts'
import { FREQUENCIES } from './term-levels.ts'

/** Fitted on the development collections; see bench/README.md. */
const CARDS: Bm25 = { k1: 1.2, b: 0.7 }

/** One thing that is asked for: a term, or the terms that may be meant by it, each with its worth. */
export type Wanted = readonly { hash: number; postings: number; worth: number }[]

const HIGHEST_IMPACT = 255

/** How much an occurrence weighs in a document of this length, without the term's rarity, in a byte. */
export function impactOf(level: number, length: number, averageLength: number): number {
  const frequency = FREQUENCIES[level] as number
  const share = frequency / (frequency + dampingOf(CARDS, length, averageLength))
  return Math.max(1, Math.round(share * HIGHEST_IMPACT))
}

/** BM25 over all that is wanted; of the terms that may be meant by one, the best counts. */
export function score(candidate: Candidate, wanted: readonly Wanted[], averageLength: number): number {
  const { hashes, levels, length } = candidate
  const damping = dampingOf(CARDS, length, averageLength)
  let sum = 0
  for (const alternatives of wanted) {
    let best = 0
    for (const { hash, worth } of alternatives) {
      const at = positionOf(hashes, hash)
      if (at < 0) continue
      const gain = worth * gainOf(CARDS, FREQUENCIES[levels[at] as number] as number, damping)
      if (gain > best) best = gain
    }
    sum += best
  }
  return sum
}

/** The numbers of the candidates that match at all, best first; ties go to the newer document. */
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
