import { isFilter } from '../text/term-hash.ts'
import type { Candidate } from './packing.ts'
import { positionOf } from './sorted-numbers.ts'

/** One of these must be there, from each list: an AND of ORs over the numbers of filters, and of words that must be there. */
export type Match = readonly (readonly number[])[]

export const passes = (
  { filters, hashes }: Candidate,
  narrowed: Match,
  without: readonly number[] = [],
): boolean =>
  narrowed.every((anyOf) =>
    anyOf.some((number) => positionOf(isFilter(number) ? filters : hashes, number) >= 0),
  ) && !without.some((word) => positionOf(hashes, word) >= 0)
