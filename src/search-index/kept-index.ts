import type { Ctx } from '../core/context.ts'
import type { Database } from '../db/db.ts'
import { Kept } from './kept.ts'
import { KeptLists } from './kept-lists.ts'
import type { Candidate } from './packing.ts'

/** Lists get the larger share, because many searches use the same lists; entries are shared only by similar searches. */
const SHARE_OF_LISTS = 0.6

const ENTRY_BYTES = 250
const NUMBER_BYTES = 8
const bytesOf = ({ hashes, filters }: Candidate): number =>
  ENTRY_BYTES + NUMBER_BYTES * (2 * hashes.length + filters.length)

/** The parts of an index that a process keeps in memory. */
export type KeptIndex = {
  lists: KeptLists
  /** Entries by number. Numbers are never reused and entries never change, so a search only checks that the entry still exists. */
  documents: Kept<Candidate>
}

const kept = new WeakMap<Database, KeptIndex>()

/** The kept index of this process for its database. */
export function keptIndex({ database, searchTuning: { keptBytes } }: Ctx): KeptIndex {
  let known = kept.get(database)
  if (!known) {
    const forLists = keptBytes * SHARE_OF_LISTS
    known = { lists: new KeptLists(forLists), documents: new Kept(keptBytes - forLists, bytesOf) }
    kept.set(database, known)
  }
  return known
}
