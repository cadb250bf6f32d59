import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { presentCut } from './append.ts'
import { type EventHead, type EventPosition, listNewestFirst } from './events.store.ts'
import { placeOf } from './place.ts'
import { ProjectContextEventResponse, ProjectKey, WorkspaceId } from './schemas.ts'

/** Time and number of the last event of a page: it stays valid when that event is deleted. */
const CURSOR = /^(\d{4}-\d\d-\d\dT[\d:.]+Z)_(\d{1,16})$/

const positionOf = (cursor: string): EventPosition => {
  const [, createdAt = '', eventNo = ''] = CURSOR.exec(cursor) ?? []
  return { createdAt, eventNo: Number(eventNo) }
}

const cursorOf = (event: EventHead) => `${event.created_at}_${event.event_no}`

export const ProjectContextEventsResponse = z
  .object({
    project_key: z.string(),
    workspace_id: z.string(),
    items: z.array(ProjectContextEventResponse),
    next_cursor: z.string().nullable().describe('For the next page; null at the end.'),
  })
  .meta({ id: 'ProjectContextEventsResponse' })

export const listEvents = capability({
  name: 'memory.list_events',
  summary: 'All events of a project, documents included, newest first, page by page',
  scopes: ['search'],
  rest: ['GET /api/v1/project-context/events'],
  errors: [404],
  input: z.object({
    project_key: ProjectKey,
    workspace_id: WorkspaceId,
    limit: z.int().min(1).max(100).default(50),
    max_chars_per_event: z.int().min(200).max(20_000).default(2000),
    cursor: z.string().max(100).regex(CURSOR).optional().describe('next_cursor of the page before.'),
  }),
  output: ProjectContextEventsResponse,
  run: async (ctx, { project_key, workspace_id, limit, max_chars_per_event, cursor }) => {
    const { project, name, workspaceId } = await placeOf(ctx, project_key, workspace_id)
    // One more than asked for, in events and in characters, shows whether there is more.
    const rows = project
      ? await listNewestFirst(ctx.db, project, {
          before: cursor === undefined ? undefined : positionOf(cursor),
          limit: limit + 1,
          characters: max_chars_per_event + 1,
        })
      : []
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    const key = project?.project_key ?? name.key
    return {
      project_key: key,
      workspace_id: workspaceId,
      items: shown.map((row) => presentCut(row, key, max_chars_per_event)),
      next_cursor: rows.length > limit && last ? cursorOf(last) : null,
    }
  },
})
