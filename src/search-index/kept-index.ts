import type { Ctx } from '../core/context.ts'
import type { Database } from '../db/db.ts'
import { Kept } from './kept.ts'
import { KeptLists } from './kept-lists.ts'
import type { Candidate } from './packing.ts'

/** Lists are asked for again and again, and entries mostly by similar questions. */
const SHARE_OF_LISTS = 0.6

const ENTRY_BYTES = 250
const NUMBER_BYTES = 8
const bytesOf = ({ hashes, filters }: Candidate): number =>
  ENTRY_BYTES + NUMBER_BYTES * (2 * hashes.length + filters.length)

/** What a process keeps of an index. */
export type KeptIndex = {
  lists: KeptLists
  /** Entries by number. A number is never used twice and its entry never changes, so only its being there must be asked for. */
  documents: Kept<Candidate>
}

const kept = new WeakMap<Database, KeptIndex>()

/** That of a process and its database. */
export function keptIndex({ database, searchTuning: { keptBytes } }: Ctx): KeptIndex {
  let known = kept.get(database)
  if (!known) {
    const forLists = keptBytes * SHARE_OF_LISTS
    known = { lists: new KeptLists(forLists), documents: new Kept(keptBytes - forLists, bytesOf) }
    kept.set(database, known)
  }
  return known
}
