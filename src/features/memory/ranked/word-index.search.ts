import { sql } from 'kysely'
import type { Db, EngineName } from '../../../db/db.ts'
import { type Named, prepared } from '../../../db/prepared.ts'
import { inCodes, partitionHashes } from '../hashes.ts'

/** A range of event numbers in one partition, and the person whose memory it is. */
export type EventRange = { userId: string; partition: number; from: number; to: number }

type Asked = { codes: string; from: number; to: number }

/**
 * Returns a whole list as one text: a row for each number takes twice as long. Node binds every number as a real one; with
 * whole ones the list takes half the time and is shorter.
 */
const listsOnSqlite = prepared(
  (_, parameter: Named<Asked & { limit: number }>) =>
    sql<{ numbers: string | null }>`select (select group_concat(distance) from (
        select rowid - cast(${parameter('from')} as integer) as distance from context_event_words
        where context_event_words match asked.value
          and rowid between cast(${parameter('from')} as integer) and cast(${parameter('to')} as integer)
        order by rowid desc limit +${parameter('limit')})) as numbers
      from json_each(${parameter('codes')}) as asked`,
)

/** The same where the limit cannot cut: without an order SQLite walks through a list in a third less time. */
const wholeListsOnSqlite = prepared(
  (_, parameter: Named<Asked>) =>
    sql<{ numbers: string | null }>`select (
        select group_concat(rowid - cast(${parameter('from')} as integer)) from context_event_words
        where context_event_words match asked.value
          and rowid between cast(${parameter('from')} as integer) and cast(${parameter('to')} as integer)) as numbers
      from json_each(${parameter('codes')}) as asked`,
)

const listsOnPostgres = prepared(
  (_, parameter: Named<{ userId: string; hashes: number[]; from: number; to: number; limit: number }>) =>
    sql<{ numbers: string | null }>`select listed.numbers
      from unnest(${parameter('hashes')}::integer[]) with ordinality as asked(hash, ordinal)
      cross join lateral (
        select string_agg((newest.event_no - ${parameter('from')}::bigint)::text, ',') as numbers from (
          select event_no from context_event_index
          where user_id = ${parameter('userId')} and words @> array[asked.hash]
            and event_no between ${parameter('from')}::bigint and ${parameter('to')}::bigint
          order by event_no desc limit ${parameter('limit')}::integer) as newest) as listed
      order by asked.ordinal`,
)

const numbersIn = (list: string | null | undefined, from: number): number[] => {
  const distances: number[] = list ? JSON.parse(`[${list}]`) : []
  return distances.map((distance) => from + distance)
}

/**
 * For each term, the events of a range that have it: their numbers, at most `limit`. If there may be more, the newest
 * come, and first. All lists are read by one statement, however many words a question has.
 */
export async function eventsWith(
  db: Db,
  engine: EngineName,
  { userId, partition, from, to }: EventRange,
  terms: readonly string[],
  limit: number,
): Promise<number[][]> {
  const hashes = partitionHashes(terms, partition)
  const rows =
    engine === 'postgres'
      ? await listsOnPostgres(db, { userId, hashes, from, to, limit })
      : await sqliteLists(
          db,
          { codes: JSON.stringify(hashes.map((hash) => inCodes([hash]))), from, to },
          limit,
        )
  return rows.map(({ numbers }) => numbersIn(numbers, from))
}

const sqliteLists = (db: Db, asked: Asked, limit: number) =>
  asked.to - asked.from + 1 < limit ? wholeListsOnSqlite(db, asked) : listsOnSqlite(db, { ...asked, limit })

/** How long a code is in the text of the SQLite index, with the blank behind it: 32 bits in base 36. */
const CODE_LENGTH = 7.48

const sizesOnSqlite = prepared(
  (_, parameter: Named<{ numbers: string }>) =>
    // SQLite reads the size from the row header, without reading a long text.
    sql<{
      event_no: number
      size: number
    }>`select id as event_no, octet_length(c0) as size from context_event_words_content
      where id in (select value from json_each(${parameter('numbers')}))`,
)

const sizesOnPostgres = prepared(
  (_, parameter: Named<{ userId: string; numbers: number[] }>) =>
    sql<{
      event_no: number
      size: number
    }>`select event_no, cardinality(words) as size from context_event_index
      where user_id = ${parameter('userId')} and event_no = any(${parameter('numbers')}::bigint[])`,
)

/** About how many words each of these events has; those that are gone are left out. */
export async function readLengths(
  db: Db,
  engine: EngineName,
  userId: string,
  eventNos: readonly number[],
): Promise<[eventNo: number, length: number][]> {
  const rows =
    engine === 'sqlite'
      ? await sizesOnSqlite(db, { numbers: `[${eventNos.join()}]` })
      : await sizesOnPostgres(db, { userId, numbers: [...eventNos] })
  const unit = engine === 'sqlite' ? CODE_LENGTH : 1
  return rows.map(({ event_no, size }) => [event_no, Math.max(1, Math.round(size / unit))])
}

/** How many words an event has, and how often it has each of the terms. */
export type Occurrences = { length: number; counts: number[] }

const wordsOnSqlite = prepared(
  (_, parameter: Named<{ numbers: string }>) =>
    sql<{
      event_no: number
      words: string
    }>`select id as event_no, c0 as words from context_event_words_content
      where id in (select value from json_each(${parameter('numbers')}))`,
)

const wordsOnPostgres = prepared(
  (_, parameter: Named<{ userId: string; numbers: number[]; hashes: number[] }>) =>
    sql<{ event_no: number; length: number; counts: string }>`
      select event_no, cardinality(words) as length, (
        select string_agg(cardinality(array_positions(words, asked.hash))::text, ',' order by asked.ordinal)
        from unnest(${parameter('hashes')}::integer[]) with ordinality as asked(hash, ordinal)) as counts
      from context_event_index
      where user_id = ${parameter('userId')} and event_no = any(${parameter('numbers')}::bigint[])`,
)

/** How often each of these events of one partition has the terms. */
export async function occurrencesIn(
  db: Db,
  engine: EngineName,
  { userId, partition }: EventRange,
  eventNos: readonly number[],
  terms: readonly string[],
): Promise<Map<number, Occurrences>> {
  if (eventNos.length === 0 || terms.length === 0) return new Map()
  const hashes = partitionHashes(terms, partition)
  if (engine === 'postgres') {
    const rows = await wordsOnPostgres(db, { userId, numbers: [...eventNos], hashes })
    return new Map(
      rows.map(({ event_no, length, counts }) => [event_no, { length, counts: JSON.parse(`[${counts}]`) }]),
    )
  }
  const codes = hashes.map((hash) => inCodes([hash]))
  const rows = await wordsOnSqlite(db, { numbers: `[${eventNos.join()}]` })
  return new Map(rows.map(({ event_no, words }) => [event_no, countCodes(words, codes)]))
}

const BLANK = 0x20

/** Searching for a few codes and counting blanks takes a fifth of splitting the text. */
function countCodes(words: string, codes: readonly string[]): Occurrences {
  let length = words === '' ? 0 : 1
  for (let at = 0; at < words.length; at += 1) if (words.charCodeAt(at) === BLANK) length += 1
  return { length, counts: codes.map((code) => timesIn(words, code)) }
}

function timesIn(words: string, code: string): number {
  let times = 0
  for (let at = words.indexOf(code); at >= 0; at = words.indexOf(code, at + code.length)) {
    const end = at + code.length
    const isWhole =
      (at === 0 || words.charCodeAt(at - 1) === BLANK) &&
      (end === words.length || words.charCodeAt(end) === BLANK)
    if (isWhole) times += 1
  }
  return times
}
