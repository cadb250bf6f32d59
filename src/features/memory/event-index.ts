import { sql } from 'kysely'
import type { Db, EngineName } from '../../db/db.ts'
import { type Named, prepared } from '../../db/prepared.ts'
import { fnv1a, trigramsIn } from '../../text/term-hash.ts'

/** Signed, as PostgreSQL's integer is. */
const hash = (text: string, seed: number, from = 0, to = text.length): number =>
  fnv1a(text, seed, from, to) | 0

/** Makes the partition part of every hash, so that a look-up never touches the rows of another project. */
const seedOf = (partition: number) => hash(String(partition), 0)

export const partitionHashes = (texts: Iterable<string>, partition: number): number[] => {
  const seed = seedOf(partition)
  return Array.from(texts, (text) => hash(text, seed))
}

/** A set of hashes that is emptied by raising a counter, which is cheaper than a new set for every text. */
class SeenHashes {
  #values = new Int32Array(4096)
  #rounds = new Uint32Array(4096)
  #round = 0

  begin(most: number): void {
    this.#round = (this.#round + 1) >>> 0
    const tooSmall = this.#values.length < most * 2
    if (!tooSmall && this.#round > 0) return
    const size = tooSmall ? 2 ** Math.ceil(Math.log2(most * 2)) : this.#values.length
    this.#values = new Int32Array(size)
    this.#rounds = new Uint32Array(size)
    this.#round = 1
  }

  /** Adds a hash; returns whether it was new. */
  add(value: number): boolean {
    const mask = this.#values.length - 1
    let slot = value & mask
    for (; this.#rounds[slot] === this.#round; slot = (slot + 1) & mask)
      if (this.#values[slot] === value) return false
    this.#rounds[slot] = this.#round
    this.#values[slot] = value
    return true
  }
}

const seen = new SeenHashes()

/** Returns the distinct hashes of all trigrams of a text, without making the trigrams as strings. */
export function gramHashes(text: string, partition: number): number[] {
  const seed = seedOf(partition)
  const found: number[] = []
  seen.begin(text.length)
  // Where the last three characters begin, in UTF-16 units.
  let [first, second, third] = [-1, -1, -1]
  for (let at = 0; at <= text.length; at += 1) {
    if (at > 0 && at < text.length && isPair(text, at)) continue
    if (first >= 0) {
      const gram = hash(text, seed, first, at)
      if (seen.add(gram)) found.push(gram)
    }
    first = second
    second = third
    third = at
  }
  return found
}

const isPair = (text: string, at: number) => {
  const [before, here] = [text.charCodeAt(at - 1), text.charCodeAt(at)]
  return before >= 0xd800 && before <= 0xdbff && here >= 0xdc00 && here <= 0xdfff
}

const DIGITS = Buffer.from('0123456789abcdefghijklmnopqrstuvwxyz')
const SPACE = 0x20
/** The digits of a 32-bit number in base 36. */
const MAX_DIGITS = 7

const digitsOf = (value: number) => {
  let digits = 1
  for (let limit = 36; value >= limit; limit *= 36) digits += 1
  return digits
}

/** Returns hashes in a form that no tokenizer of SQLite splits. */
export function inCodes(hashes: readonly number[]): string {
  const text = Buffer.allocUnsafe(hashes.length * (MAX_DIGITS + 1))
  let at = 0
  for (const hash of hashes) {
    let value = hash >>> 0
    const end = at + digitsOf(value)
    for (let digit = end - 1; digit >= at; digit -= 1) {
      const rest = Math.floor(value / 36)
      text[digit] = DIGITS[value - rest * 36] as number
      value = rest
    }
    text[end] = SPACE
    at = end + 1
  }
  return text.toString('latin1', 0, Math.max(0, at - 1))
}

/** An event number is the partition and the position, so a partition's numbers are one range. */
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
  'insertEventGrams',
  (_, parameter: Named<{ eventNo: number; grams: string }>) =>
    sql`insert into context_event_grams(rowid, grams) values (${parameter('eventNo')}, ${parameter('grams')})`,
)

const insertWords = prepared(
  'insertEventWords',
  (_, parameter: Named<{ eventNo: number; words: string }>) =>
    sql`insert into context_event_words(rowid, words) values (${parameter('eventNo')}, ${parameter('words')})`,
)

export type IndexedEvent = { userId: string; eventNo: number; searchText: string; terms: readonly string[] }

export type HashedEvent = { user_id: string; event_no: number; grams: number[]; words: number[] }

/** Writes to the index on PostgreSQL, also as the last part of a statement. */
export const insertInIndex = (parameter: Named<HashedEvent>) =>
  sql`insert into context_event_index (user_id, event_no, grams, words)
    values (${parameter('user_id')}, ${parameter('event_no')}, ${parameter('grams')}::integer[], ${parameter('words')}::integer[])`

const insertHashes = prepared('insertEventHashes', (_, parameter: Named<HashedEvent>) =>
  insertInIndex(parameter),
)

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

/** Removes events from the index. Call it before the events themselves are removed. */
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

/** On SQLite a connection that has seen the index empty fails its integrity check afterwards. */
const indexedNumbers = (engine: EngineName) =>
  engine === 'sqlite'
    ? sql`(select id as event_no from context_event_words_content)`
    : sql`(select event_no from context_event_index)`

/** Returns whether the newest event lacks its index entry. */
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

/** Avoids `not in`: PostgreSQL reads a list that does not fit into work_mem once for each row. */
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

export const MIN_INDEXED_LENGTH = 3
/** Limit of trigrams, because each one reads another posting list. The text itself is compared afterwards. */
const MAX_GRAMS = 4
const MAX_WEIGHED = 40

/** Closer trigrams share letters, so the second one narrows less. */
const APART = 3

/** Returns trigrams that stand apart and are rare in a sample of the searched texts. */
export function rarestGrams(needle: string, sample: readonly string[]): string[] {
  const grams = [...new Set(trigramsIn(needle))]
  const step = Math.ceil(grams.length / MAX_WEIGHED)
  const left = grams
    .map((gram, at) => ({ gram, at }))
    .filter(({ at }) => at % step === 0)
    .map((weighed) => {
      const texts = sample.filter((text) => text.includes(weighed.gram)).length
      return { ...weighed, worth: Math.log((sample.length + 1) / (texts + 0.5)), apart: APART }
    })
  const chosen: string[] = []
  while (chosen.length < MAX_GRAMS && left.length > 0) {
    const best = left.reduce((a, b) => (b.worth * b.apart > a.worth * a.apart ? b : a))
    chosen.push(best.gram)
    left.splice(left.indexOf(best), 1)
    for (const other of left) other.apart = Math.min(other.apart, Math.abs(other.at - best.at))
  }
  return chosen
}

export type EventRange = { userId: string; partition: number; from: number; to: number }

type CodeRange = { codes: string; from: number; to: number }

/** Node binds every number as a float, so the bounds are cast to integers. */
const listsOnSqlite = prepared(
  'eventLists',
  (_, parameter: Named<CodeRange & { limit: number }>) =>
    sql<{ numbers: string | null }>`select (select group_concat(distance) from (
        select rowid - cast(${parameter('from')} as integer) as distance from context_event_words
        where context_event_words match asked.value
          and rowid between cast(${parameter('from')} as integer) and cast(${parameter('to')} as integer)
        order by rowid desc limit +${parameter('limit')})) as numbers
      from json_each(${parameter('codes')}) as asked`,
)

/** Lists that cannot reach the limit need no order, which SQLite reads faster. */
const wholeListsOnSqlite = prepared(
  'wholeEventLists',
  (_, parameter: Named<CodeRange>) =>
    sql<{ numbers: string | null }>`select (
        select group_concat(rowid - cast(${parameter('from')} as integer)) from context_event_words
        where context_event_words match asked.value
          and rowid between cast(${parameter('from')} as integer) and cast(${parameter('to')} as integer)) as numbers
      from json_each(${parameter('codes')}) as asked`,
)

const listsOnPostgres = prepared(
  'eventLists',
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

const sqliteLists = (db: Db, asked: CodeRange, limit: number) =>
  asked.to - asked.from + 1 < limit ? wholeListsOnSqlite(db, asked) : listsOnSqlite(db, { ...asked, limit })

/** In characters, with the blank behind the code: 32 bits in base 36. */
const CODE_LENGTH = 7.48

const sizesOnSqlite = prepared(
  'eventListSizes',
  (_, parameter: Named<{ numbers: string }>) =>
    // SQLite reads the size from the row header, without reading a long text.
    sql<{
      event_no: number
      size: number
    }>`select id as event_no, octet_length(c0) as size from context_event_words_content
      where id in (select value from json_each(${parameter('numbers')}))`,
)

const sizesOnPostgres = prepared(
  'eventListSizes',
  (_, parameter: Named<{ userId: string; numbers: number[] }>) =>
    sql<{
      event_no: number
      size: number
    }>`select event_no, cardinality(words) as size from context_event_index
      where user_id = ${parameter('userId')} and event_no = any(${parameter('numbers')}::bigint[])`,
)

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

export type Occurrences = { length: number; counts: number[] }

const wordsOnSqlite = prepared(
  'eventWords',
  (_, parameter: Named<{ numbers: string }>) =>
    sql<{
      event_no: number
      words: string
    }>`select id as event_no, c0 as words from context_event_words_content
      where id in (select value from json_each(${parameter('numbers')}))`,
)

const wordsOnPostgres = prepared(
  'eventWords',
  (_, parameter: Named<{ userId: string; numbers: number[]; hashes: number[] }>) =>
    sql<{ event_no: number; length: number; counts: string }>`
      select event_no, cardinality(words) as length, (
        select string_agg(cardinality(array_positions(words, asked.hash))::text, ',' order by asked.ordinal)
        from unnest(${parameter('hashes')}::integer[]) with ordinality as asked(hash, ordinal)) as counts
      from context_event_index
      where user_id = ${parameter('userId')} and event_no = any(${parameter('numbers')}::bigint[])`,
)

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
