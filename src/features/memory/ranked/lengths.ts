import type { Database } from '../../../db/db.ts'
import { Kept } from '../../../search-index/index.ts'
import type { Reach } from './term-lists.ts'
import { readLengths } from './word-index.search.ts'

/** With its place in a map. */
const BYTES_OF_A_LENGTH = 50
const MOST_BYTES = 8 * 2 ** 20

/**
 * Numbers of events are never used again and events keep their words, so a length that was read once stays right. An event
 * may go later; then it has no words to count either.
 */
const kept = new WeakMap<Database, Kept<number>>()

function keptLengths(database: Database): Kept<number> {
  const known = kept.get(database) ?? new Kept(MOST_BYTES, () => BYTES_OF_A_LENGTH)
  kept.set(database, known)
  return known
}

/** About how many words each of these events has. One that is gone may be left out. */
export async function lengthsOf(
  { database, db, ranges }: Reach,
  eventNos: readonly number[],
): Promise<Map<number, number>> {
  const known = keptLengths(database)
  const lengths = new Map<number, number>()
  const unread: number[] = []
  for (const eventNo of eventNos) {
    const length = known.get(eventNo)
    if (length === undefined) unread.push(eventNo)
    else lengths.set(eventNo, length)
  }
  if (unread.length === 0) return lengths
  for (const [eventNo, length] of await readLengths(db, database.engine, ranges[0]?.userId ?? '', unread)) {
    known.keep(eventNo, length)
    lengths.set(eventNo, length)
  }
  return lengths
}
