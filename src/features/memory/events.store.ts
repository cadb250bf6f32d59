import { type Selectable, sql } from 'kysely'
import type { Db, EngineName } from '../../db/db.ts'
import { insertRow, type Named, prepared } from '../../db/prepared.ts'
import type { ContextEventsTable, ContextSlot } from '../../db/tables/memory.ts'
import { termsOf } from '../search/analyse.ts'
import { addToIndex, dropFromIndex } from './events.search.ts'
import { foldCase } from './text.ts'

export type EventRow = Selectable<ContextEventsTable>

/** Keeps a needle from matching across the end of the title; it cannot occur in stored text. */
const FIELD_END = '\u0001'

export const searchTextOf = (title: string | null, content: string) =>
  foldCase(title === null ? content : `${title}${FIELD_END}${content}`)

const countEvent = prepared((db, parameter: Named<{ project: string; now: string }>) =>
  db
    .updateTable('context_projects')
    .set((eb) => ({ events: eb('events', '+', 1), last_event_at: parameter('now') }))
    .where('project_id', '=', parameter('project')),
)

export async function insertEvent(
  db: Db,
  engine: EngineName,
  row: EventRow,
  terms: readonly string[] = termsOfEvent(row),
): Promise<void> {
  await insertRow(db, 'context_events', row)
  await indexEvent(db, engine, row, terms)
  await countEvent(db, { project: row.project_id, now: row.created_at })
}

export const termsOfEvent = ({ title, content }: Pick<EventRow, 'title' | 'content'>): string[] =>
  termsOf(title === null ? content : `${title}\n${content}`)

export const indexEvent = (
  db: Db,
  engine: EngineName,
  row: EventRow,
  terms: readonly string[] = termsOfEvent(row),
) =>
  addToIndex(db, engine, {
    eventNo: row.event_no,
    searchText: row.search_text,
    terms,
  })

const withProjectKey = (db: Db) =>
  db
    .selectFrom('context_events as events')
    .innerJoin('context_projects as projects', 'projects.project_id', 'events.project_id')
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

/** What a snapshot or a search result shows of an event; `content` is cut in the database. */
export type EventHead = Omit<EventRow, 'search_text'>

const headColumns = [
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

const newestOf = (db: Db, projectId: string, slot: ContextSlot, limit: number, characters: number) =>
  db
    .selectFrom('context_events')
    .select(headColumns)
    .select(sql<string>`substr(content, 1, ${characters})`.as('content'))
    .where('project_id', '=', projectId)
    .where('slot', '=', slot)
    .orderBy('created_at', 'desc')
    .orderBy('event_no', 'desc')
    .limit(limit)

export type Part = { projectId: string; slot: ContextSlot; limit: number }

/** The newest events of several slots in one read, each slot by its index. */
export async function newestParts(db: Db, parts: readonly Part[], characters: number): Promise<EventHead[]> {
  const [first, ...rest] = parts.map((part, index) =>
    db
      .selectFrom(newestOf(db, part.projectId, part.slot, part.limit, characters).as(`part${index}`))
      .selectAll(),
  )
  if (!first) return []
  return rest.reduce((union, part) => union.unionAll(part), first).execute()
}

export type EventPosition = { createdAt: string; eventNo: number }

type Window = { before: EventPosition | undefined; limit: number; characters: number }

/** A page of all events of a project, by the index over time. */
export async function listNewestFirst(
  db: Db,
  projectId: string,
  { before, limit, characters }: Window,
): Promise<EventHead[]> {
  const newest = db
    .selectFrom('context_events')
    .select(headColumns)
    .select(sql<string>`substr(content, 1, ${characters})`.as('content'))
    .where('project_id', '=', projectId)
    .orderBy('created_at', 'desc')
    .orderBy('event_no', 'desc')
    .limit(limit)
  if (!before) return newest.execute()
  return newest
    .where('created_at', '<=', before.createdAt)
    .where((eb) => eb.or([eb('created_at', '<', before.createdAt), eb('event_no', '<', before.eventNo)]))
    .execute()
}

export async function newestDocument(
  db: Db,
  projectId: string,
  slot: 'facts' | 'preferences',
): Promise<EventRow | undefined> {
  return db
    .selectFrom('context_events')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('slot', '=', slot)
    .orderBy('created_at', 'desc')
    .orderBy('event_no', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function loadEvents(db: Db, eventNos: readonly number[]): Promise<EventRow[]> {
  if (eventNos.length === 0) return []
  return db.selectFrom('context_events').selectAll().where('event_no', 'in', eventNos).execute()
}

/** How the newest events of a project read, for an idea of what is common there. */
export async function newestTexts(
  db: Db,
  projectId: string,
  events: number,
  characters: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('context_events')
    .select(sql<string>`substr(search_text, 1, ${characters})`.as('text'))
    .where('project_id', '=', projectId)
    .orderBy('created_at', 'desc')
    .orderBy('event_no', 'desc')
    .limit(events)
    .execute()
  return rows.map((row) => row.text)
}

/** Reads the newest events one by one until enough hold the needle; `window` bounds the work. */
export async function scanNewest(
  db: Db,
  engine: EngineName,
  projectId: string,
  needle: string,
  limit: number,
  window: number,
): Promise<number[]> {
  const newest = db
    .selectFrom('context_events')
    .select(['event_no', 'created_at', 'search_text'])
    .where('project_id', '=', projectId)
    .orderBy('created_at', 'desc')
    .orderBy('event_no', 'desc')
    .limit(window)
  const holds =
    engine === 'sqlite'
      ? sql<boolean>`instr(newest.search_text, ${needle}) > 0`
      : sql<boolean>`position(${needle} in newest.search_text) > 0`
  const rows = await db
    .selectFrom(newest.as('newest'))
    .select('newest.event_no')
    .where(holds)
    .orderBy('newest.created_at', 'desc')
    .orderBy('newest.event_no', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => row.event_no)
}

export async function removeEvent(db: Db, engine: EngineName, event: EventRow): Promise<void> {
  await dropFromIndex(db, engine, [event.event_no])
  await db.deleteFrom('context_events').where('event_no', '=', event.event_no).execute()
}

const BATCH = 500

/** Removes every event of a project from the table and from the indexes. */
export async function removeEventsOf(db: Db, engine: EngineName, projectId: string): Promise<number> {
  let removed = 0
  for (;;) {
    const rows = await db
      .selectFrom('context_events')
      .select('event_no')
      .where('project_id', '=', projectId)
      .limit(BATCH)
      .execute()
    if (rows.length === 0) return removed
    const numbers = rows.map((row) => row.event_no)
    await dropFromIndex(db, engine, numbers)
    await db.deleteFrom('context_events').where('event_no', 'in', numbers).execute()
    removed += numbers.length
  }
}

/** Brings the project's counters up to date after `added` events came (or went, below zero); how many there are now. */
export async function recount(db: Db, projectId: string, added: number): Promise<number> {
  const newest = await db
    .selectFrom('context_events')
    .select('created_at')
    .where('project_id', '=', projectId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  const { events } = await db
    .updateTable('context_projects')
    .set((eb) => ({ events: eb('events', '+', added), last_event_at: newest?.created_at ?? null }))
    .where('project_id', '=', projectId)
    .returning('events')
    .executeTakeFirstOrThrow()
  return events
}

/** Hands all events of one project to another; their places in the indexes stay. */
export async function moveEvents(db: Db, fromProject: string, toProject: string): Promise<number> {
  await db
    .updateTable('context_partitions')
    .set({ project_id: toProject })
    .where('project_id', '=', fromProject)
    .execute()
  const moved = await db
    .updateTable('context_events')
    .set({ project_id: toProject })
    .where('project_id', '=', fromProject)
    .executeTakeFirst()
  return Number(moved.numUpdatedRows)
}
