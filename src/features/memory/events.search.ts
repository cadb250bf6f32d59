import { sql } from 'kysely'
import type { Db, EngineName } from '../../db/db.ts'
import { type Named, prepared } from '../../db/prepared.ts'
import { trigramsIn } from '../../text/trigrams.ts'
import { gramHashes, inCodes, partitionHashes } from './hashes.ts'

/**
 * The two search indexes over events, which differ by engine. Both answer with event numbers, newest
 * first within a partition; the store loads the rows.
 *
 * An event number is the partition and the position in it, so that the numbers of a partition are one range.
 */
const SEQUENCE_SPAN = 2 ** 24
export const LAST_SEQUENCE = SEQUENCE_SPAN - 1

export const eventNumber = (partition: number, sequence: number) => partition * SEQUENCE_SPAN + sequence
export const partitionOf = (eventNo: number) => Math.floor(eventNo / SEQUENCE_SPAN)

type Range = { from: number; to: number }
export const rangeOf = (partition: number): Range => ({
  from: eventNumber(partition, 0),
  to: eventNumber(partition, LAST_SEQUENCE),
})

export const partitionCodes = (texts: Iterable<string>, partition: number): string[] =>
  inCodes(partitionHashes(texts, partition)).split(' ')

const insertGrams = prepared(
  (_, parameter: Named<{ eventNo: number; grams: string }>) =>
    sql`insert into context_event_grams(rowid, grams) values (${parameter('eventNo')}, ${parameter('grams')})`,
)

const insertWords = prepared(
  (_, parameter: Named<{ eventNo: number; words: string }>) =>
    sql`insert into context_event_words(rowid, words) values (${parameter('eventNo')}, ${parameter('words')})`,
)

export type IndexedEvent = { userId: string; eventNo: number; searchText: string; terms: readonly string[] }

/** What the index on PostgreSQL has of an event. */
export type HashedEvent = { user_id: string; event_no: number; grams: number[]; words: number[] }

/** For PostgreSQL, also as the last part of a statement. */
export const insertInIndex = (parameter: Named<HashedEvent>) =>
  sql`insert into context_event_index (user_id, event_no, grams, words)
    values (${parameter('user_id')}, ${parameter('event_no')}, ${parameter('grams')}::integer[], ${parameter('words')}::integer[])`

const insertHashes = prepared((_, parameter: Named<HashedEvent>) => insertInIndex(parameter))

export function hashesOf({ userId, eventNo, searchText, terms }: IndexedEvent): HashedEvent {
  const partition = partitionOf(eventNo)
  return {
    user_id: userId,
    event_no: eventNo,
    grams: gramHashes(searchText, partition),
    words: partitionHashes(terms, partition),
  }
}

export async function addToIndex(db: Db, engine: EngineName, event: IndexedEvent): Promise<void> {
  const hashed = hashesOf(event)
  if (engine === 'postgres') {
    await insertHashes(db, hashed)
    return
  }
  await insertGrams(db, { eventNo: event.eventNo, grams: inCodes(hashed.grams) })
  await insertWords(db, { eventNo: event.eventNo, words: inCodes(hashed.words) })
}

/** Call it before the events themselves are removed. */
export async function dropFromIndex(
  db: Db,
  engine: EngineName,
  userId: string,
  eventNos: readonly number[],
): Promise<void> {
  if (eventNos.length === 0) return
  const list = sql.join(eventNos)
  if (engine === 'sqlite') {
    await sql`delete from context_event_grams where rowid in (${list})`.execute(db)
    await sql`delete from context_event_words where rowid in (${list})`.execute(db)
    return
  }
  await sql`delete from context_event_index where user_id = ${userId} and event_no in (${list})`.execute(db)
}

/**
 * The numbers of the indexed events. On SQLite this is the content table, not the index itself: a connection that has
 * seen the index empty fails its integrity check afterwards.
 */
const indexedNumbers = (engine: EngineName) =>
  engine === 'sqlite'
    ? sql`(select id as event_no from context_event_words_content)`
    : sql`(select event_no from context_event_index)`

/** Whether the newest event lacks its entry. Reads the end of two keys. */
export async function lacksNewest(db: Db, engine: EngineName): Promise<boolean> {
  const { rows } = await sql<{ indexed: number | null; last: number | null }>`select
    (select max(event_no) from ${indexedNumbers(engine)} as indexed) as indexed,
    (select max(event_no) from context_events) as last`.execute(db)
  return (rows[0]?.indexed ?? 0) < (rows[0]?.last ?? 0)
}

export async function indexedAmong(
  db: Db,
  engine: EngineName,
  eventNos: readonly number[],
): Promise<ReadonlySet<number>> {
  if (eventNos.length === 0) return new Set()
  const { rows } = await sql<{ event_no: number }>`select event_no from ${indexedNumbers(engine)} as indexed
    where event_no in (${sql.join(eventNos)})`.execute(db)
  return new Set(rows.map((row) => row.event_no))
}

/**
 * How many events the indexes lack, and how many entries they have without an event. Not by `not in`: PostgreSQL reads
 * its list once for each row as soon as the list does not fit into work_mem.
 */
export async function indexDifference(
  db: Db,
  engine: EngineName,
): Promise<{ lacking: number; stray: number }> {
  const tables =
    engine === 'sqlite' ? ['context_event_grams', 'context_event_words'] : ['context_event_index']
  const isSame =
    engine === 'sqlite'
      ? sql`entry.rowid = event.event_no`
      : sql`entry.user_id = event.user_id and entry.event_no = event.event_no`
  let [lacking, stray] = [0, 0]
  for (const table of tables.map((name) => sql.table(name))) {
    const { rows } = await sql<{ lacking: number; stray: number }>`select
      (select count(*) from context_events as event
        where not exists (select 1 from ${table} as entry where ${isSame})) as lacking,
      (select count(*) from ${table} as entry
        where not exists (select 1 from context_events as event where ${isSame})) as stray`.execute(db)
    lacking += Number(rows[0]?.lacking)
    stray += Number(rows[0]?.stray)
  }
  return { lacking, stray }
}

export const SHORTEST_INDEXED = 3
/** Every trigram is one more list to read. A few narrow the search enough, since the text itself is compared afterwards. */
const MOST_GRAMS = 4
/** How many trigrams of a long needle are considered, spread over its whole length. */
const MOST_WEIGHED = 40

/** Trigrams with fewer letters between their beginnings than this share letters, so the second one narrows less. */
const APART = 3

/** Trigrams that are rare in a sample of the texts that are searched, whatever their language, and that stand apart. */
export function rarestGrams(needle: string, sample: readonly string[]): string[] {
  const grams = [...new Set(trigramsIn(needle))]
  const step = Math.ceil(grams.length / MOST_WEIGHED)
  const left = grams
    .map((gram, at) => ({ gram, at }))
    .filter(({ at }) => at % step === 0)
    .map((weighed) => {
      const texts = sample.filter((text) => text.includes(weighed.gram)).length
      return { ...weighed, worth: Math.log((sample.length + 1) / (texts + 0.5)), apart: APART }
    })
  const chosen: string[] = []
  while (chosen.length < MOST_GRAMS && left.length > 0) {
    const best = left.reduce((a, b) => (b.worth * b.apart > a.worth * a.apart ? b : a))
    chosen.push(best.gram)
    left.splice(left.indexOf(best), 1)
    for (const other of left) other.apart = Math.min(other.apart, Math.abs(other.at - best.at))
  }
  return chosen
}
