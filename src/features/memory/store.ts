import { type RawBuilder, type Selectable, sql } from 'kysely'
import { type Ctx, inTx } from '../../core/context.ts'
import { type Db, type EngineName, isSqlite } from '../../db/db.ts'
import type { ContextEventsTable, ContextSlot } from '../../db/knowledge-schema.ts'
import { insertRow, type Named, prepared } from '../../db/prepared.ts'
import { doAll, type Pieces } from '../../shared/pieces.ts'
import { piecesOf, termsOf } from '../../text/analyse.ts'
import { foldCase } from '../../text/fold.ts'
import { freeText, storedTextBytes } from '../storage/index.ts'
import {
  addToIndex,
  dropFromIndex,
  type HashedEvent,
  hashesOf,
  type IndexedEvent,
  indexedAmong,
  insertInIndex,
  LAST_SEQUENCE,
  lacksNewest,
  partitionCodes,
  partitionHashes,
  rangeOf,
} from './event-index.ts'

export type EventRow = Selectable<ContextEventsTable>

/** Keeps a needle from matching across the end of the title. Stored text cannot contain it. */
const FIELD_END = '\u0001'

export const searchTextOf = (title: string | null, content: string) =>
  foldCase(title === null ? content : `${title}${FIELD_END}${content}`)

export type EventHead = Omit<EventRow, 'search_text'>

export const HEAD_COLUMNS = [
  'event_no',
  'raw_id',
  'user_id',
  'project_id',
  'workspace_id',
  'event_type',
  'slot',
  'created_at',
  'title',
  'session_id',
  'client',
  'meta',
  'redactions',
] as const

const EVENT_COLUMNS = [...HEAD_COLUMNS, 'content', 'search_text'] as const

type Counted = ProjectRef & { created_at: string }

const countStatement = (db: Db, parameter: Named<Counted>) =>
  db
    .updateTable('context_projects')
    .set((eb) => ({ events: eb('events', '+', 1), last_event_at: parameter('created_at') }))
    .where('user_id', '=', parameter('user_id'))
    .where('project_id', '=', parameter('project_id'))

const countEvent = prepared('countEvent', countStatement)

/** Writes event, count and index in one statement, to save round trips on PostgreSQL. */
const insertAtOnce = prepared(
  'insertEventAtOnce',
  (db, parameter: Named<EventRow & HashedEvent>) => {
    const values = Object.fromEntries(EVENT_COLUMNS.map((name) => [name, parameter(name)]))
    const event = db.insertInto('context_events').values(values as never)
    const counted = countStatement(db, parameter)
    return sql`with event as (${event}), counted as (${counted}) ${insertInIndex(parameter)}`
  },
  { keepsPlan: true },
)

export async function insertEvent(
  db: Db,
  engine: EngineName,
  row: EventRow,
  given?: readonly string[],
): Promise<void> {
  const terms = given ?? doAll(termsOfEvent(row)).terms
  if (engine === 'postgres') {
    await insertAtOnce(db, { ...row, ...hashesOf(indexedOf(row, terms)) })
    return
  }
  await insertRow(db, 'context_events', row)
  await indexEvent(db, engine, row, terms)
  await countEvent(db, row)
}

/** Limit of different words of an event in the index. The text itself is searched whole. */
const MAX_EVENT_WORDS = 5000

export type EventTerms = {
  terms: string[]
  different: number
  isPartial: boolean
}

/** Reads the words of an event in pieces. Call it before the transaction: other writers would wait. */
export function* termsOfEvent({ title, content }: Pick<EventRow, 'title' | 'content'>): Pieces<EventTerms> {
  const terms: string[] = []
  const different = new Set<string>()
  for (const { piece } of piecesOf(title === null ? content : `${title}\n${content}`)) {
    for (const term of termsOf(piece)) {
      if (different.size >= MAX_EVENT_WORDS && !different.has(term))
        return { terms, different: different.size, isPartial: true }
      different.add(term)
      terms.push(term)
    }
    yield
  }
  return { terms, different: different.size, isPartial: false }
}

const indexedOf = (row: EventRow, terms: readonly string[]): IndexedEvent => ({
  userId: row.user_id,
  eventNo: row.event_no,
  searchText: row.search_text,
  terms,
})

async function indexEvent(
  db: Db,
  engine: EngineName,
  row: EventRow,
  terms?: readonly string[],
): Promise<void> {
  await addToIndex(db, engine, indexedOf(row, terms ?? doAll(termsOfEvent(row)).terms))
}

const withProjectKey = (db: Db) =>
  db
    .selectFrom('context_events as events')
    .innerJoin('context_projects as projects', (join) =>
      join
        .onRef('projects.project_id', '=', 'events.project_id')
        .onRef('projects.user_id', '=', 'events.user_id'),
    )
    .selectAll('events')
    .select('projects.project_key')

export type EventWithKey = EventRow & { project_key: string }

/** Returns an event of its author only. */
export async function findEvent(db: Db, authorId: string, rawId: string): Promise<EventWithKey | undefined> {
  return withProjectKey(db)
    .where('events.raw_id', '=', rawId)
    .where('events.user_id', '=', authorId)
    .executeTakeFirst()
}

const newestOf = (
  db: Db,
  { user_id, project_id }: ProjectRef,
  slot: ContextSlot,
  limit: number,
  characters: number,
) =>
  db
    .selectFrom('context_events')
    .select(HEAD_COLUMNS)
    .select(sql<string>`substr(content, 1, ${characters})`.as('content'))
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .where('slot', '=', slot)
    .orderBy('created_at', 'desc')
    .orderBy('event_no', 'desc')
    .limit(limit)

export type Part = { project: ProjectRef; slot: ContextSlot; limit: number }

export async function newestParts(db: Db, parts: readonly Part[], characters: number): Promise<EventHead[]> {
  const [first, ...rest] = parts.map((part, index) =>
    db
      .selectFrom(newestOf(db, part.project, part.slot, part.limit, characters).as(`part${index}`))
      .selectAll(),
  )
  if (!first) return []
  return rest.reduce((union, part) => union.unionAll(part), first).execute()
}

export async function newestDocument(
  db: Db,
  { user_id, project_id }: ProjectRef,
  slot: 'facts' | 'preferences',
): Promise<EventRow | undefined> {
  return db
    .selectFrom('context_events')
    .selectAll()
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .where('slot', '=', slot)
    .orderBy('created_at', 'desc')
    .orderBy('event_no', 'desc')
    .limit(1)
    .executeTakeFirst()
}

const TURN_CHARACTERS = 8000

/** Returns the beginnings of the newest turns, or of the one with this id. */
export async function readTurnTexts(
  db: Db,
  { user_id, project_id }: ProjectRef,
  limit: number,
  rawId?: string,
): Promise<Pick<EventRow, 'raw_id' | 'title' | 'content' | 'created_at'>[]> {
  return db
    .selectFrom('context_events')
    .select(['raw_id', 'title', 'created_at'])
    .select(sql<string>`substr(content, 1, ${TURN_CHARACTERS})`.as('content'))
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .where('slot', '=', 'recent')
    .$if(rawId !== undefined, (query) => query.where('raw_id', '=', rawId ?? ''))
    .orderBy('created_at', 'desc')
    .orderBy('event_no', 'desc')
    .limit(limit)
    .execute()
}

export async function loadEvents(db: Db, userId: string, eventNos: readonly number[]): Promise<EventRow[]> {
  if (eventNos.length === 0) return []
  return db
    .selectFrom('context_events')
    .selectAll()
    .where('user_id', '=', userId)
    .where('event_no', 'in', eventNos)
    .execute()
}

export async function newestTexts(
  db: Db,
  { user_id, project_id }: ProjectRef,
  events: number,
  characters: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('context_events')
    .select(sql<string>`substr(search_text, 1, ${characters})`.as('text'))
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .orderBy('created_at', 'desc')
    .orderBy('event_no', 'desc')
    .limit(events)
    .execute()
  return rows.map((row) => row.text)
}

export type NumberedEvent = Pick<EventRow, 'event_no' | 'created_at'>

/** Reads the newest events one by one until enough contain the needle; `window` limits the work. */
export async function scanNewest(
  db: Db,
  engine: EngineName,
  { user_id, project_id }: ProjectRef,
  needle: string,
  limit: number,
  window: number,
): Promise<NumberedEvent[]> {
  const newest = db
    .selectFrom('context_events')
    .select(['event_no', 'created_at', 'search_text'])
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .orderBy('created_at', 'desc')
    .orderBy('event_no', 'desc')
    .limit(window)
  const holds =
    engine === 'sqlite'
      ? sql<boolean>`instr(newest.search_text, ${needle}) > 0`
      : sql<boolean>`position(${needle} in newest.search_text) > 0`
  return db
    .selectFrom(newest.as('newest'))
    .select(['newest.event_no', 'newest.created_at'])
    .where(holds)
    .orderBy('newest.created_at', 'desc')
    .orderBy('newest.event_no', 'desc')
    .limit(limit)
    .execute()
}

export async function removeEvent(db: Db, engine: EngineName, event: EventRow): Promise<void> {
  const { user_id, event_no } = event
  await dropFromIndex(db, engine, user_id, [event_no])
  const gone = await db
    .deleteFrom('context_events')
    .where('user_id', '=', user_id)
    .where('event_no', '=', event_no)
    .returning(['user_id', storedTextBytes('context_events').as('bytes')])
    .execute()
  await freeText(db, gone)
}

const BATCH = 500

export async function removeEventsOf(
  db: Db,
  engine: EngineName,
  { user_id, project_id }: ProjectRef,
): Promise<number> {
  let removed = 0
  for (;;) {
    const rows = await db
      .selectFrom('context_events')
      .select('event_no')
      .where('user_id', '=', user_id)
      .where('project_id', '=', project_id)
      // Uses the index over time, which begins with the project.
      .orderBy('created_at')
      .limit(BATCH)
      .execute()
    if (rows.length === 0) return removed
    const numbers = rows.map((row) => row.event_no)
    await dropFromIndex(db, engine, user_id, numbers)
    const gone = await db
      .deleteFrom('context_events')
      .where('user_id', '=', user_id)
      .where('event_no', 'in', numbers)
      .returning(['user_id', storedTextBytes('context_events').as('bytes')])
      .execute()
    await freeText(db, gone)
    removed += numbers.length
  }
}

/** Updates the project's counters by `added` events, negative for removed ones. Returns the new count. */
export async function recount(db: Db, { user_id, project_id }: ProjectRef, added: number): Promise<number> {
  const newest = await db
    .selectFrom('context_events')
    .select('created_at')
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  const { events } = await db
    .updateTable('context_projects')
    .set((eb) => ({ events: eb('events', '+', added), last_event_at: newest?.created_at ?? null }))
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .returning('events')
    .executeTakeFirstOrThrow()
  return events
}

export async function moveEvents(db: Db, from: ProjectRef, to: ProjectRef): Promise<number> {
  await db
    .updateTable('context_partitions')
    .set({ project_id: to.project_id })
    .where('user_id', '=', from.user_id)
    .where('project_id', '=', from.project_id)
    .execute()
  const moved = await db
    .updateTable('context_events')
    .set({ project_id: to.project_id })
    .where('user_id', '=', from.user_id)
    .where('project_id', '=', from.project_id)
    .executeTakeFirst()
  return Number(moved.numUpdatedRows)
}

/** Every statement names the user, because memory can be sharded by user. */
export type ProjectRef = { user_id: string; project_id: string }

export type EventPosition = { partition: number; sequence: number }

export async function addPartition(db: Db, { user_id, project_id }: ProjectRef): Promise<void> {
  await db.insertInto('context_partitions').values({ user_id, project_id, last_seq: 0 }).execute()
}

const newestPartition = prepared('newestEventPartition', (db, parameter: Named<ProjectRef>) =>
  db
    .selectFrom('context_partitions')
    .select(['partition_no as partition', 'last_seq as sequence'])
    .where('user_id', '=', parameter('user_id'))
    .where('project_id', '=', parameter('project_id'))
    .orderBy('partition_no', 'desc')
    .limit(1),
)

const savePosition = prepared('saveEventPosition', (db, parameter: Named<EventPosition & ProjectRef>) =>
  db
    .updateTable('context_partitions')
    .set({ last_seq: parameter('sequence') })
    .where('partition_no', '=', parameter('partition'))
    .where('user_id', '=', parameter('user_id'))
    .where('project_id', '=', parameter('project_id')),
)

/** Takes the next position in the newest partition. Returns no row if that partition is full. */
const takePosition = prepared(
  'takeEventPosition',
  (db, parameter: Named<ProjectRef>) =>
    db
      .updateTable('context_partitions')
      .set((eb) => ({ last_seq: eb('last_seq', '+', 1) }))
      .where('user_id', '=', parameter('user_id'))
      .where('project_id', '=', parameter('project_id'))
      .where('partition_no', '=', (eb) =>
        eb
          .selectFrom('context_partitions as all')
          .select((eb) => eb.fn.max('all.partition_no').as('newest'))
          .where('all.user_id', '=', parameter('user_id'))
          .where('all.project_id', '=', parameter('project_id')),
      )
      .where('last_seq', '<', LAST_SEQUENCE)
      .returning(['partition_no as partition', 'last_seq as sequence']),
  { keepsPlan: true },
)

type Numbered = ProjectRef & { last?: EventPosition | undefined }

/** Reads and then writes: an update with `returning` would make SQLite's text index flush its pending data. */
async function moveLast(db: Db, project: Numbered): Promise<EventPosition | undefined> {
  const { user_id, project_id } = project
  const last = project.last ?? (await newestPartition(db, { user_id, project_id }))[0]
  if (!last || last.sequence >= LAST_SEQUENCE) return undefined
  project.last = { ...last, sequence: last.sequence + 1 }
  await savePosition(db, { user_id, project_id, ...project.last })
  return project.last
}

export async function nextPosition(db: Db, project: Numbered): Promise<EventPosition> {
  const { user_id, project_id } = project
  const taken = isSqlite(db)
    ? await moveLast(db, project)
    : (await takePosition(db, { user_id, project_id }))[0]
  if (taken) return taken
  await addPartition(db, project)
  project.last = undefined
  return nextPosition(db, project)
}

export async function partitionsOf(db: Db, project: ProjectRef): Promise<number[]> {
  const positions = await lastPositions(db, project)
  return positions.map(({ partition }) => partition)
}

export async function lastPositions(db: Db, { user_id, project_id }: ProjectRef): Promise<EventPosition[]> {
  return db
    .selectFrom('context_partitions')
    .select(['partition_no as partition', 'last_seq as sequence'])
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .orderBy('partition_no', 'desc')
    .execute()
}

/** A period that excludes its end. */
type Period = { from: string; to: string }

const eventsBetween = (db: Db, { user_id, project_id }: ProjectRef, { from, to }: Period) =>
  db
    .selectFrom('context_events')
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .where('created_at', '>=', from)
    .where('created_at', '<', to)

export async function eventNosBetween(
  db: Db,
  project: ProjectRef,
  period: Period,
  limit: number,
): Promise<number[]> {
  const rows = await eventsBetween(db, project, period)
    .select('event_no')
    .orderBy('created_at', 'desc')
    .orderBy('event_no', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ event_no }) => event_no)
}

export async function firstAndLastBetween(
  db: Db,
  project: ProjectRef,
  period: Period,
  { from, to }: { from: number; to: number },
): Promise<{ first: number; last: number } | undefined> {
  const end = (order: 'asc' | 'desc') =>
    eventsBetween(db, project, period)
      .select('event_no')
      .where('event_no', '>=', from)
      .where('event_no', '<=', to)
      .orderBy('created_at', order)
      .orderBy('event_no', order)
      .limit(1)
      .executeTakeFirst()
  const [first, last] = [await end('asc'), await end('desc')]
  return first && last && { first: first.event_no, last: last.event_no }
}

export async function keepBetween(
  db: Db,
  project: ProjectRef,
  period: Period,
  eventNos: readonly number[],
): Promise<Set<number>> {
  if (eventNos.length === 0) return new Set()
  const rows = await eventsBetween(db, project, period)
    .select('event_no')
    .where('event_no', 'in', eventNos)
    .execute()
  return new Set(rows.map(({ event_no }) => event_no))
}

/** Returns how many of the newest events, at most `most`, have no more than `bytes` of text together. */
export async function eventsWithin(
  db: Db,
  { user_id, project_id }: ProjectRef,
  most: number,
  bytes: number,
): Promise<number> {
  const newest = db
    .selectFrom('context_events')
    .select(['created_at', 'event_no', sql<number>`octet_length(search_text)`.as('bytes')])
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .orderBy('created_at', 'desc')
    .orderBy('event_no', 'desc')
    .limit(most)
  // Nearly always all of them fit, and one sum is faster than a cumulative one.
  const { total } = await db
    .selectFrom(newest.as('newest'))
    .select(sql<number>`coalesce(sum(bytes), 0)`.as('total'))
    .executeTakeFirstOrThrow()
  if (Number(total) <= bytes) return most
  const sums = db
    .selectFrom(newest.as('newest'))
    .select(sql<number>`sum(bytes) over (order by created_at desc, event_no desc)`.as('so_far'))
  const { events } = await db
    .selectFrom(sums.as('sums'))
    .select(({ fn }) => fn.countAll<number>().as('events'))
    .where('so_far', '<=', bytes)
    .executeTakeFirstOrThrow()
  return events
}

/** Finds and counts matching events of a project. Each engine queries its own indexes. */

type Needle = { userId: string; needle: string; grams: readonly string[] }
type Words = { userId: string; terms: readonly string[] }

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

/** Returns the newest events that contain the needle, newest first within a partition. */
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

export const countSubstring = (
  db: Db,
  engine: EngineName,
  partitions: readonly number[],
  asked: Needle,
  most: number,
): Promise<number> =>
  countUpTo(db, engine, partitions, (partition) => holdingNeedle(engine, partition, asked), most)

export const countWords = (
  db: Db,
  engine: EngineName,
  partitions: readonly number[],
  asked: Words,
  most: number,
): Promise<number> =>
  countUpTo(db, engine, partitions, (partition) => holdingAnyWord(engine, partition, asked), most)

const EVENTS_PER_BATCH = 200

/** Each batch checks what is indexed already, because several processes may start at once. */
export async function reindexEvents(ctx: Ctx, which: 'all' | 'missing' = 'all'): Promise<number> {
  const { engine } = ctx.database
  let done = 0
  for (let after = 0; ; ) {
    const { last, indexed } = await inTx(ctx, async ({ db }) => {
      const rows = await db
        .selectFrom('context_events')
        .selectAll()
        .where('event_no', '>', after)
        .orderBy('event_no')
        .limit(EVENTS_PER_BATCH)
        .execute()
      const numbers = rows.map((row) => row.event_no)
      const present = which === 'missing' ? await indexedAmong(db, engine, numbers) : new Set()
      const wanted = rows.filter((row) => !present.has(row.event_no))
      for (const row of wanted) {
        if (which === 'all') await dropFromIndex(db, engine, row.user_id, [row.event_no])
        await indexEvent(db, engine, row)
      }
      return { last: numbers.at(-1), indexed: wanted.length }
    })
    done += indexed
    if (last === undefined) return done
    after = last
  }
}

/** Brings the search text and the index of an event to its texts, which a rescan has changed. */
export async function reindexRescanned(
  db: Db,
  engine: EngineName,
  { user_id = '', raw_id = '' }: Record<string, string>,
): Promise<void> {
  const event = await findEvent(db, user_id, raw_id)
  if (!event) return
  const search_text = searchTextOf(event.title, event.content)
  await db
    .updateTable('context_events')
    .set({ search_text })
    .where('user_id', '=', user_id)
    .where('raw_id', '=', raw_id)
    .execute()
  await dropFromIndex(db, engine, user_id, [event.event_no])
  await indexEvent(db, engine, { ...event, search_text })
}

/** Events are indexed in order, so the newest event shows whether the index is complete. */
export async function fillEventIndex(ctx: Ctx): Promise<number> {
  return (await lacksNewest(ctx.db, ctx.database.engine)) ? reindexEvents(ctx, 'missing') : 0
}
