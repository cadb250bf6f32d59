import { fnv1a } from './fnv.ts'

/** Words live in the lower half of the index's number space, what narrows a search (tenancy, tags …) in the upper. */
const WORD_BITS = 30

/** Filters are numbered from here on. */
export const FILTERS_FROM = 2 ** WORD_BITS

function mix(text: string): number {
  let h = fnv1a(text)
  h ^= h >>> 16
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/**
 * The engines index numbers, not words: small, and nothing that a user types can be mistaken for query syntax.
 * Two words in a million share a number by chance; what a result shows is checked against its text.
 */
export const wordHash = (term: string): number => mix(term) >>> (32 - WORD_BITS)

export const filterHash = (filter: string): number => (mix(filter) >>> (32 - WORD_BITS)) + FILTERS_FROM

export const isFilter = (hash: number): boolean => hash >= FILTERS_FROM

/** Every number of the index is below this. */
export const NUMBER_SPACE = 2 * FILTERS_FROM
