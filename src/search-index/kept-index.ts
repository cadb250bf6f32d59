import type { Ctx } from '../core/context.ts'
import type { Database } from '../db/db.ts'
import { Kept } from './kept.ts'
import { KeptLists } from './kept-lists.ts'
import { KeptScopes } from './kept-scopes.ts'
import { KeptWords } from './kept-words.ts'
import type { Candidate } from './packing.ts'
import { SecondTimes } from './second-times.ts'

/** Lists get the larger share, because many searches use the same lists; entries are shared only by similar searches. */
const SHARES = { lists: 0.5, scopes: 0.05, documents: 0.3, words: 0.15 }

const ENTRY_BYTES = 250
const NUMBER_BYTES = 8
const bytesOf = ({ hashes, filters }: Candidate): number =>
  ENTRY_BYTES + NUMBER_BYTES * (2 * hashes.length + filters.length)

/** The parts of an index that a process keeps in memory. */
export type KeptIndex = {
  lists: KeptLists
  scopes: KeptScopes
  /** Entries by number. Numbers are never reused and entries never change, so a search only checks that the entry still exists. */
  documents: Kept<Candidate>
  /**
   * An entry is kept when it is read the second time. In a large vault nearly every search reads entries that no later one
   * asks for, and to keep them first and drop them then is most of what the collector of garbage has to do.
   */
  readDocuments: SecondTimes
  words: KeptWords
}

const kept = new WeakMap<Database, KeptIndex>()

/** The kept index of this process for its database. */
export function keptIndex({ database, searchTuning: { keptBytes } }: Ctx): KeptIndex {
  let known = kept.get(database)
  if (!known) {
    known = {
      lists: new KeptLists(keptBytes * SHARES.lists),
      scopes: new KeptScopes(keptBytes * SHARES.scopes),
      documents: new Kept(keptBytes * SHARES.documents, bytesOf),
      readDocuments: new SecondTimes(),
      words: new KeptWords(keptBytes * SHARES.words),
    }
    kept.set(database, known)
  }
  return known
}
