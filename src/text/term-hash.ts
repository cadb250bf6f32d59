/** Words live in the lower half of the index's number space, what narrows a search (tenancy, tags …) in the upper. */
const wordBits = 30

/** Filters are numbered from here on. */
export const filtersFrom = 2 ** wordBits

function mix(text: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
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
export const wordHash = (term: string): number => mix(term) >>> (32 - wordBits)

export const filterHash = (filter: string): number => (mix(filter) >>> (32 - wordBits)) + filtersFrom

export const isFilter = (hash: number): boolean => hash >= filtersFrom

/** Every number of the index is below this. */
export const numberSpace = 2 * filtersFrom
