import { type Selectable, sql } from 'kysely'
import { doAll, type Pieces } from '../../core/pieces.ts'
import type { Db, EngineName } from '../../db/db.ts'
import { insertRow, type Named, prepared } from '../../db/prepared.ts'
import type { ContextEventsTable, ContextSlot } from '../../db/tables/memory.ts'
import { piecesOf, termsOf } from '../../text/analyse.ts'
import { foldCase } from '../../text/fold.ts'
import { freeText, storedTextBytes } from '../storage/text-usage.ts'
import {
  addToIndex,
  dropFromIndex,
  type HashedEvent,
  hashesOf,
  type IndexedEvent,
  insertInIndex,
} from './events.search.ts'
import type { ProjectRef } from './partitions.store.ts'

export type EventRow = Selectable<ContextEventsTable>

/** Keeps a needle from matching across the end of the title; it cannot occur in stored text. */
const FIELD_END = '\u0001'

export const searchTextOf = (title: string | null, content: string) =>
  foldCase(title === null ? content : `${title}${FIELD_END}${content}`)

/** What a snapshot or a search result shows of an event; `content` is cut in the database. */
export type EventHead = Omit<EventRow, 'search_text'>

/** Without the text that is searched, which is as long as the event. */
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

const countEvent = prepared(countStatement)

/** Event, count and index in one statement: on PostgreSQL the way there and back costs as much as the work. */
const insertAtOnce = prepared(
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

/** An event has at most so many different words in the index; its text is searched whole. */
const MAX_EVENT_WORDS = 5000

export type EventTerms = {
  terms: string[]
  /** Whether words were left out. */
  isPartial: boolean
}

/** Reads the words of an event in pieces. Call it before the transaction: other writers would wait. */
export function* termsOfEvent({ title, content }: Pick<EventRow, 'title' | 'content'>): Pieces<EventTerms> {
  const terms: string[] = []
  const different = new Set<string>()
  for (const { piece } of piecesOf(title === null ? content : `${title}\n${content}`)) {
    for (const term of termsOf(piece)) {
      if (different.size >= MAX_EVENT_WORDS && !different.has(term)) return { terms, isPartial: true }
      different.add(term)
      terms.push(term)
    }
    yield
  }
  return { terms, isPartial: false }
}

const indexedOf = (row: EventRow, terms: readonly string[]): IndexedEvent => ({
  userId: row.user_id,
  eventNo: row.event_no,
  searchText: row.search_text,
  terms,
})

export async function indexEvent(
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

/** Only the author's own: the condition is part of the query. */
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

/** The newest events of several slots in one read, each slot by its index. */
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

export async function loadEvents(db: Db, userId: string, eventNos: readonly number[]): Promise<EventRow[]> {
  if (eventNos.length === 0) return []
  return db
    .selectFrom('context_events')
    .selectAll()
    .where('user_id', '=', userId)
    .where('event_no', 'in', eventNos)
    .execute()
}

/** The texts of the newest events of a project, as a sample of what is common there. */
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

/** A found event, with the columns that it is sorted by. */
export type NumberedEvent = Pick<EventRow, 'event_no' | 'created_at'>

/** Reads the newest events one by one until enough hold the needle; `window` bounds the work. */
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

/** Removes every event of a project from the table and from the indexes. */
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

/** Updates the project's counters after `added` events came (below zero: were removed). Returns how many there are now. */
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

/** Hands all events of one project to another; their index entries stay. */
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
