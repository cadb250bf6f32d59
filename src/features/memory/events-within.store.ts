import { sql } from 'kysely'
import type { Db } from '../../db/db.ts'
import type { ProjectRef } from './partitions.store.ts'

/** How many of the newest events, at most `most`, have no more than `bytes` of text together. */
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
  // Nearly always all of them fit, and one sum takes half the time of a cumulative one.
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
