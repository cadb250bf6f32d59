import { BLOCK_DOCUMENTS } from './postings.ts'

/** What the index does when. Every process has one of these; tests make folding and merging happen sooner. */
export type SearchTuning = {
  /** A search looks through fresh documents one by one; up to this many, that costs less than keeping lists. */
  foldFrom: number
  /** How many are folded at once: a whole longer run. This many wait only while an index is rebuilt. */
  foldAtOnce: number
  /** With at least this many documents of one longer run, the short runs are skipped. */
  foldStraightFrom: number
  /** A run is rewritten without its tombstones when this many have come since. */
  rewriteAfterTombstones: number
  /** Fresh documents that one search looks through; more of them only wait after a bulk load. */
  freshRead: number
  /** Up to this many documents, a scope is read whole: that is exact, and cheaper than asking the lists. */
  readWhole: number
  /** What a process keeps of lists and entries that it has read, in bytes. All lists of about 100,000 documents fit in. */
  keptBytes: number
  /** What a process keeps of the texts of hits, in bytes: those of some thousands of cards. */
  keptTextBytes: number
}

export const usualTuning = (): SearchTuning => ({
  foldFrom: 128,
  foldAtOnce: 8192,
  foldStraightFrom: 1024,
  rewriteAfterTombstones: BLOCK_DOCUMENTS / 8,
  freshRead: 4096,
  readWhole: 400,
  keptBytes: 48 * 2 ** 20,
  keptTextBytes: 16 * 2 ** 20,
})
