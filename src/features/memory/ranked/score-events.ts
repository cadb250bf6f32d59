import { type Bm25, dampingOf, gainOf } from '../../../text/bm25.ts'
import type { Occurrences } from './word-index.search.ts'

/** The length of a turn is more accidental than that of a card, so it counts less. See bench/README.md. */
const EVENTS: Bm25 = { k1: 1.2, b: 0.6 }

/** A term by its position among the counted terms, and its weight. */
export type PositionedTerm = { position: number; worth: number }

/** A term that matches a word of the question: the term itself, or one that may be meant by it. */
export type Option = PositionedTerm & {
  /** For a name: its parts. They count in an event that has the whole name or all parts. */
  parts: readonly PositionedTerm[]
  /** 1 for the term itself, less for one that is taken to be meant. */
  likeness: number
}

/** One thing that is asked for; of its options the best counts. */
export type Wanted = readonly Option[]

const has = ({ counts }: Occurrences, position: number) => (counts[position] as number) > 0

/** Whether an event has the parts of a name, all of them. */
export const hasParts = (words: Occurrences, { parts }: Option): boolean =>
  parts.length > 0 && parts.every(({ position }) => has(words, position))

/** BM25 of an event over all that is wanted. */
export function scoreOf(words: Occurrences, wanted: readonly Wanted[], averageLength: number): number {
  const damping = dampingOf(EVENTS, words.length, averageLength)
  const gain = ({ position, worth }: PositionedTerm) =>
    has(words, position) ? worth * gainOf(EVENTS, words.counts[position] as number, damping) : 0
  let sum = 0
  for (const options of wanted) {
    let best = 0
    for (const option of options) {
      let own = gain(option)
      if (own > 0 || hasParts(words, option)) for (const part of option.parts) own += gain(part)
      best = Math.max(best, own)
    }
    sum += best
  }
  return sum
}

/** The score of an event of this length that has all of `worth`, each term once. */
export const likelyScore = (worth: number, length: number, averageLength: number): number =>
  worth * gainOf(EVENTS, 1, dampingOf(EVENTS, length, averageLength))
