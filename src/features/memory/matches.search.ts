import { type RawBuilder, sql } from 'kysely'
import type { Db, EngineName } from '../../db/db.ts'
import { partitionCodes, rangeOf } from './events.search.ts'
import type { NumberedEvent } from './events.store.ts'
import { partitionHashes } from './hashes.ts'

/** Which events of a project match, and how many. Each engine queries its own indexes. */

type Needle = { userId: string; needle: string; grams: readonly string[] }
type Words = { userId: string; terms: readonly string[] }

/** Some trigrams of the needle narrow by the index; then the text itself is compared. */
function holdingNeedle(engine: EngineName, partition: number, { userId, needle, grams }: Needle) {
  const { from, to } = rangeOf(partition)
  return engine === 'sqlite'
    ? sql`context_event_grams
          cross join context_events as events on events.event_no = context_event_grams.rowid
        where context_event_grams match ${partitionCodes(grams, partition).join(' AND ')}
          and context_event_grams.rowid between ${from} and ${to} and instr(events.search_text, ${needle}) > 0`
    : sql`context_event_index as indexed
          join context_events as events
            on events.user_id = indexed.user_id and events.event_no = indexed.event_no
        where indexed.user_id = ${userId} and indexed.grams @> ${partitionHashes(grams, partition)}::integer[]
          and events.event_no between ${from} and ${to}
          and position(${needle} in events.search_text) > 0`
}

function holdingAnyWord(engine: EngineName, partition: number, { userId, terms }: Words) {
  const { from, to } = rangeOf(partition)
  return engine === 'sqlite'
    ? sql`context_event_words
        where context_event_words match ${partitionCodes(terms, partition).join(' OR ')}
          and rowid between ${from} and ${to}`
    : sql`context_event_index
        where user_id = ${userId} and words && ${partitionHashes(terms, partition)}::integer[]
          and event_no between ${from} and ${to}`
}

/** The newest events that hold the needle, newest first within a partition. */
export async function findSubstring(
  db: Db,
  engine: EngineName,
  partitions: readonly number[],
  asked: Needle,
  limit: number,
): Promise<NumberedEvent[]> {
  const order = sql.raw(engine === 'sqlite' ? 'context_event_grams.rowid' : 'events.event_no')
  const found: NumberedEvent[] = []
  for (const partition of partitions) {
    const { rows } = await sql<NumberedEvent>`
      select events.event_no, events.created_at from ${holdingNeedle(engine, partition, asked)}
      order by ${order} desc limit ${plain(engine, limit)}`.execute(db)
    found.push(...rows)
  }
  return found
}

/** The plus keeps SQLite from choosing a plan by the value of the limit. */
const plain = (engine: EngineName, limit: number) => (engine === 'sqlite' ? sql`+${limit}` : sql`${limit}`)

async function countUpTo(
  db: Db,
  engine: EngineName,
  partitions: readonly number[],
  matching: (partition: number) => RawBuilder<unknown>,
  most: number,
): Promise<number> {
  let count = 0
  for (const partition of partitions) {
    const { rows } = await sql<{ matches: number }>`select count(*) as matches from
      (select 1 from ${matching(partition)} limit ${plain(engine, most - count)}) as counted`.execute(db)
    count += rows[0]?.matches ?? 0
    if (count >= most) return most
  }
  return count
}

/** How many events hold the needle; counting ends at `most`. */
export const countSubstring = (
  db: Db,
  engine: EngineName,
  partitions: readonly number[],
  asked: Needle,
  most: number,
): Promise<number> =>
  countUpTo(db, engine, partitions, (partition) => holdingNeedle(engine, partition, asked), most)

/** How many events have at least one of the words; counting ends at `most`. */
export const countWords = (
  db: Db,
  engine: EngineName,
  partitions: readonly number[],
  asked: Words,
  most: number,
): Promise<number> =>
  countUpTo(db, engine, partitions, (partition) => holdingAnyWord(engine, partition, asked), most)
