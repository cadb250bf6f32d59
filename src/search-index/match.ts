import { isFilter } from '../text/term-hash.ts'
import type { Candidate } from './packing.ts'
import { positionOf } from './sorted-numbers.ts'

/** One of these must be there, from each list: an AND of ORs over the numbers of filters, and of words that must be there. */
export type Match = readonly (readonly number[])[]

/** No document may have all numbers of one of these lists: a word of a script without spaces is several pairs. */
export type Without = readonly (readonly number[])[]

export const passes = ({ filters, hashes }: Candidate, narrowed: Match, without: Without = []): boolean => {
  const has = (number: number) => positionOf(isFilter(number) ? filters : hashes, number) >= 0
  return narrowed.every((anyOf) => anyOf.some(has)) && !without.some((together) => together.every(has))
}
