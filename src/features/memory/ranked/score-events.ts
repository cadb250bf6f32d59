import { type Bm25, dampingOf, gainOf } from '../../../text/bm25.ts'
import type { Occurrences } from './word-index.search.ts'

/** A turn that is short by chance says less than a short card: length counts less than there. See bench/README.md. */
const EVENTS: Bm25 = { k1: 1.2, b: 0.6 }

/** One of the terms that answer what was asked: the term itself, or one that may be meant by it. */
export type Alternative = {
  /** Its place among the terms that are counted in every event. */
  place: number
  worth: number
}

/** One thing that is asked for; of its alternatives the best counts. */
export type Wanted = readonly Alternative[]

/** BM25 of an event over all that is wanted. */
export function scoreOf(
  { length, counts }: Occurrences,
  wanted: readonly Wanted[],
  averageLength: number,
): number {
  const damping = dampingOf(EVENTS, length, averageLength)
  let sum = 0
  for (const alternatives of wanted) {
    let best = 0
    for (const { place, worth } of alternatives) {
      const count = counts[place] as number
      if (count === 0) continue
      const gain = worth * gainOf(EVENTS, count, damping)
      if (gain > best) best = gain
    }
    sum += best
  }
  return sum
}

/** What an event of this length scores at least that has all of `worth`, each term once. */
export const likelyScore = (worth: number, length: number, averageLength: number): number =>
  worth * gainOf(EVENTS, 1, dampingOf(EVENTS, length, averageLength))
