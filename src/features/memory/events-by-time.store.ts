import type { Db } from '../../db/db.ts'
import type { ProjectRef } from './partitions.store.ts'

/** A period of time without its end. */
type Period = { from: string; to: string }

const eventsBetween = (db: Db, { user_id, project_id }: ProjectRef, { from, to }: Period) =>
  db
    .selectFrom('context_events')
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .where('created_at', '>=', from)
    .where('created_at', '<', to)

/** The newest events of a period, newest first. */
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

/** The first and the last event of a period among some numbers, or undefined if there is none. */
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

/** Which of these events lie in the period. */
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
