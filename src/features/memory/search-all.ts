import type { UserCtx } from '../../core/context.ts'
import { MOST_CHARACTERS, READ_AT_ONCE } from '../../core/search-reads.ts'
import { readQuery } from '../../text/query-words.ts'
import { eventNumber } from './events.search.ts'
import type { EventRow } from './events.store.ts'
import { presentRanked, rowsOf, type ShownEvent } from './found-events.ts'
import { partitionsOfPerson } from './projects.store.ts'
import { MOST_RANKED } from './ranked/find-ranked.ts'
import { isWeak } from './ranked/judge.ts'
import { rankEvents } from './ranked/rank-events.ts'

/** Each partition is queried separately. Of more partitions than this, only the most recent are searched. */
const MOST_PARTITIONS = 200

export type EventOfProject = ShownEvent & { project_key: string; workspace_id: string }

/** The events with these numbers, in this order, as far as a search reads. */
async function readableRows(ctx: UserCtx, eventNos: readonly number[]): Promise<EventRow[]> {
  const rows: EventRow[] = []
  let characters = 0
  for (let at = 0; at < eventNos.length && characters < MOST_CHARACTERS; at += READ_AT_ONCE)
    for (const row of await rowsOf(ctx, eventNos.slice(at, at + READ_AT_ONCE))) {
      rows.push(row)
      characters += row.content.length
    }
  return rows
}

/** The events of all projects of the caller that answer a question best by its words. Weak ones are left out. */
export async function searchAllMemory(
  ctx: UserCtx,
  query: string,
  limit: number,
): Promise<{ results: EventOfProject[]; total: number }> {
  const userId = ctx.viewer.userId
  const partitions = await partitionsOfPerson(ctx.db, userId, MOST_PARTITIONS)
  const ranges = partitions.map(({ partition_no, last_seq }) => ({
    userId,
    partition: partition_no,
    from: eventNumber(partition_no, 0),
    to: eventNumber(partition_no, last_seq),
  }))
  const events = partitions.reduce((sum, { last_seq }) => sum + last_seq, 0)
  const reach = { db: ctx.db, database: ctx.database, ranges, events }
  const effort = { limit: Math.min(limit, MOST_RANKED), corrects: false }
  const { events: ranked, terms } = await rankEvents(reach, readQuery(query), effort)
  const hits = ranked.filter(({ confidence }) => !isWeak(confidence))
  const page = hits.slice(0, limit).map(({ eventNo, confidence }) => ({ eventNo, confidence }))
  const rows = await readableRows(
    ctx,
    page.map(({ eventNo }) => eventNo),
  )
  const projects = new Map(partitions.map((partition) => [partition.project_id, partition]))
  const shown = presentRanked(rows, page, { terms })
  return {
    results: shown.map((event, i) => {
      const project = projects.get(rows[i]?.project_id ?? '')
      return {
        ...event,
        project_key: project?.project_key ?? '',
        workspace_id: project?.workspace_id ?? '',
      }
    }),
    total: hits.length,
  }
}
