import type { Database, Db } from '../../../db/db.ts'
import { type EventRange, eventsWith } from './word-index.search.ts'

/** Where a ranked search looks. */
export type Reach = {
  db: Db
  database: Database
  /** The ranges of event numbers that are searched; all belong to one person. */
  ranges: readonly EventRange[]
  /** How many events the ranges have, or slightly more. */
  events: number
}

/** The events that hold a term, in all ranges. */
export type TermList = {
  eventNos: number[]
  /** Where older ones were not read. */
  unread: EventRange[]
  /** How many there are, or an estimate. */
  frequency: number
}

export const isWhole = ({ unread }: TermList) => unread.length === 0

/** How many entries of each list are read at first. A rare word has no more. A question of many words reads fewer of each. */
const PROBED = 400
const PROBED_OF_MANY = 100
const MANY_TERMS = 16

/** How many entries one search reads: rare words first, then more common ones as far as they fit. */
const MOST_READ = 12_000

/** The frequency of each term in the ranges, and its newest events. */
export async function probe(reach: Reach, terms: readonly string[]): Promise<TermList[]> {
  if (terms.length === 0) return []
  const limit = terms.length > MANY_TERMS ? PROBED_OF_MANY : PROBED
  return readLists(reach, reach.ranges, terms, limit)
}

async function readLists(
  { db, database }: Reach,
  ranges: readonly EventRange[],
  terms: readonly string[],
  limit: number,
): Promise<TermList[]> {
  const lists = terms.map((): TermList => ({ eventNos: [], unread: [], frequency: 0 }))
  for (const range of ranges) {
    const found = await eventsWith(db, database.engine, range, terms, limit)
    lists.forEach((list, i) => {
      const eventNos = found[i] as number[]
      const oldest = eventNos.at(-1)
      list.eventNos.push(...eventNos)
      if (oldest !== undefined && eventNos.length === limit) list.unread.push({ ...range, to: oldest - 1 })
      list.frequency += frequencyIn(range, eventNos, limit)
    })
  }
  return lists
}

/** Numbers of a range are nearly consecutive, so the newest entries of a cut list show how dense it is. */
function frequencyIn({ from, to }: EventRange, eventNos: readonly number[], limit: number): number {
  const [newest, oldest] = [eventNos[0], eventNos.at(-1)]
  if (newest === undefined || oldest === undefined || eventNos.length < limit) return eventNos.length
  return Math.round((eventNos.length / (newest - oldest + 1)) * (to - from + 1))
}

/**
 * Reads the rest of the cut lists, the shortest first, as far as they fit. The shortest of all is read in any
 * case, up to the limit of one search, so that there is something to rank.
 */
export async function complete(
  reach: Reach,
  terms: readonly string[],
  lists: readonly TermList[],
): Promise<TermList[]> {
  const read = [...lists]
  const byFrequency = lists
    .map((list, i) => ({ i, list }))
    .sort((a, b) => a.list.frequency - b.list.frequency)
  let left = MOST_READ
  for (const [order, { i, list }] of byFrequency.entries()) {
    if (!isWhole(list)) {
      if (order > 0 && list.frequency > left) break
      read[i] = await withRest(reach, terms[i] as string, list)
    }
    left -= (read[i] as TermList).eventNos.length
  }
  return read
}

async function withRest(reach: Reach, term: string, list: TermList): Promise<TermList> {
  const [rest] = (await readLists(reach, list.unread, [term], MOST_READ)) as [TermList]
  const eventNos = [...list.eventNos, ...rest.eventNos]
  return { eventNos, unread: rest.unread, frequency: list.eventNos.length + rest.frequency }
}
