import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import type { UserCtx } from '../../core/context.ts'
import { AnswerId } from '../../core/schemas.ts'
import { presentEvents } from './append.ts'
import type { EventHead } from './events.store.ts'
import type { ProjectRef } from './partitions.store.ts'
import { resolveProject } from './resolve-project.ts'
import { EventType, ProjectContextEventResponse, ProjectKey, WorkspaceId } from './schemas.ts'
import { type EventFilter, type EventPosition, listNewestFirst, positionAfter } from './timeline.store.ts'

/** Time and number of the last event of a page: it stays valid when that event is deleted. */
const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_(\d{1,16})$/

const NO_CURSOR = 'Input should be next_cursor of the page before, as it was answered'

const positionOf = (cursor: string): EventPosition => {
  const [, createdAt = '', eventNo = ''] = CURSOR.exec(cursor) ?? []
  return { createdAt, eventNo: Number(eventNo) }
}

/** A time that no clock shows would compare as text, and answer the first page or none. */
const isRealTime = (time: string): boolean => {
  const date = new Date(time)
  return !Number.isNaN(date.getTime()) && date.toISOString() === time
}

const cursorOf = ({ createdAt, eventNo }: EventPosition) => `${createdAt}_${eventNo}`

/**
 * A filter has no index of its own, because it would make every write slower. Instead this many events are looked at
 * for each one asked for; a page that is not full by then says where to continue.
 */
const LOOKED_AT_PER_EVENT = 50

type Asked = {
  before: EventPosition | undefined
  limit: number
  characters: number
  filter: EventFilter
}

async function pageOf(
  ctx: UserCtx,
  project: ProjectRef,
  { before, limit, characters, filter }: Asked,
): Promise<{ rows: EventHead[]; next: EventPosition | undefined }> {
  const isFiltered = filter.sessionId !== undefined || filter.eventTypes.length > 0
  const downTo = isFiltered
    ? await positionAfter(ctx.db, project, before, limit * LOOKED_AT_PER_EVENT)
    : undefined
  // One more than asked for, in events and in characters, shows whether there is more.
  const found = await listNewestFirst(ctx.db, project, {
    before,
    downTo,
    limit: limit + 1,
    characters: characters + 1,
    filter,
  })
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  if (found.length > limit && last)
    return { rows, next: { createdAt: last.created_at, eventNo: last.event_no } }
  return { rows, next: downTo }
}

export const ProjectContextEventsResponse = z
  .object({
    project_key: z.string(),
    workspace_id: AnswerId,
    items: z.array(ProjectContextEventResponse),
    next_cursor: z.string().nullable().describe('For the next page; null at the end.'),
  })
  .meta({ id: 'ProjectContextEventsResponse' })

export const listEvents = capability({
  name: 'memory.list_events',
  summary: 'The events of a project, documents included, newest first, page by page',
  description:
    'All of them, or those of one session and of certain types. With a filter a page may hold fewer events than asked for, even none, while there is a next_cursor: follow it until it is null.',
  scopes: ['search'],
  rest: ['GET /api/v1/project-context/events'],
  errors: [404],
  input: z.object({
    project_key: ProjectKey,
    workspace_id: WorkspaceId,
    limit: z.int().min(1).max(100).default(50),
    max_chars_per_event: z.int().min(200).max(20_000).default(2000),
    session_id: z.string().min(1).max(1000).optional().describe('Only events of this session.'),
    event_type: z
      .array(EventType)
      .max(EventType.options.length)
      .default([])
      .describe('Only events of this type; may be repeated. All of them, when left out.'),
    cursor: z
      .string()
      .max(100)
      .regex(CURSOR, { error: NO_CURSOR, abort: true })
      .refine((cursor) => isRealTime(positionOf(cursor).createdAt), NO_CURSOR)
      .optional()
      .describe('next_cursor of the page before.'),
  }),
  output: ProjectContextEventsResponse,
  run: async (ctx, { project_key, workspace_id, limit, max_chars_per_event, cursor, ...filter }) => {
    const { project, name, workspaceId } = await resolveProject(ctx, project_key, workspace_id)
    const key = project?.project_key ?? name.key
    const page = project
      ? await pageOf(ctx, project, {
          before: cursor === undefined ? undefined : positionOf(cursor),
          limit,
          characters: max_chars_per_event,
          filter: { sessionId: filter.session_id, eventTypes: filter.event_type },
        })
      : { rows: [], next: undefined }
    return {
      project_key: key,
      workspace_id: workspaceId,
      items: presentEvents(page.rows, key, max_chars_per_event),
      next_cursor: page.next ? cursorOf(page.next) : null,
    }
  },
})
