import type { Candidate } from './packing.ts'
import { positionOf } from './sorted-numbers.ts'

/** One of these must be there, from each list: an AND of ORs over index numbers. */
export type Match = readonly (readonly number[])[]

export const passes = ({ filters }: Candidate, narrowed: Match): boolean =>
  narrowed.every((anyOf) => anyOf.some((filter) => positionOf(filters, filter) >= 0))
