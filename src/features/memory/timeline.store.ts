import { sql } from 'kysely'
import type { Db } from '../../db/db.ts'
import type { ContextEventType } from '../../db/tables/memory.ts'
import { type EventHead, HEAD_COLUMNS } from './events.store.ts'
import type { ProjectRef } from './partitions.store.ts'

export type EventPosition = { createdAt: string; eventNo: number }

export type EventFilter = { sessionId: string | undefined; eventTypes: readonly ContextEventType[] }

type Window = {
  before: EventPosition | undefined
  /** The oldest event that is looked at for the page. */
  downTo?: EventPosition | undefined
  limit: number
  characters: number
  filter?: EventFilter
}

const eventsBefore = (db: Db, { user_id, project_id }: ProjectRef, before: EventPosition | undefined) => {
  const newest = db
    .selectFrom('context_events')
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .orderBy('created_at', 'desc')
    .orderBy('event_no', 'desc')
  if (!before) return newest
  return newest
    .where('created_at', '<=', before.createdAt)
    .where((eb) => eb.or([eb('created_at', '<', before.createdAt), eb('event_no', '<', before.eventNo)]))
}

/** The event that comes this many after another, or undefined if there are fewer. */
export async function positionAfter(
  db: Db,
  project: ProjectRef,
  before: EventPosition | undefined,
  events: number,
): Promise<EventPosition | undefined> {
  const row = await eventsBefore(db, project, before)
    .select(['created_at', 'event_no'])
    .limit(1)
    .offset(events - 1)
    .executeTakeFirst()
  return row && { createdAt: row.created_at, eventNo: row.event_no }
}

/** A page of the events of a project, by the index over time. */
export async function listNewestFirst(
  db: Db,
  project: ProjectRef,
  { before, downTo, limit, characters, filter }: Window,
): Promise<EventHead[]> {
  let page = eventsBefore(db, project, before)
    .select(HEAD_COLUMNS)
    .select(sql<string>`substr(content, 1, ${characters})`.as('content'))
    .limit(limit)
  if (filter?.sessionId !== undefined) page = page.where('session_id', '=', filter.sessionId)
  if (filter && filter.eventTypes.length > 0) page = page.where('event_type', 'in', filter.eventTypes)
  if (downTo)
    page = page
      .where('created_at', '>=', downTo.createdAt)
      .where((eb) => eb.or([eb('created_at', '>', downTo.createdAt), eb('event_no', '>=', downTo.eventNo)]))
  return page.execute()
}
