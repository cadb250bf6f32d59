import { sql } from 'kysely'
import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import { AnswerId, Id } from '../../core/schemas.ts'
import { type Db, RunAgain } from '../../db/db.ts'
import type { ContextEventType } from '../../db/knowledge-schema.ts'
import { sanitise } from '../../redaction/redact.ts'
import { audit } from '../audit/index.ts'
import { appendTo, clean, hintFor, present, presentEvents, searchNote } from './append.ts'
import { findHistory } from './commit-store.ts'
import { removeMinedOf, removeMinedOfSession } from './mining-queue.ts'
import { thinAppended, thinEvent } from './project-context.ts'
import { lockProject, ownMemory, removeProject, resolveForWriting, resolveProject } from './projects.ts'
import {
  Confirmed,
  EventType,
  Label,
  MAX_BODY_BYTES,
  ProjectContextEventCreate,
  ProjectContextEventResponse,
  ProjectKey,
  WorkspaceId,
} from './schemas.ts'
import {
  type EventHead,
  type EventWithKey,
  findEvent,
  HEAD_COLUMNS,
  type ProjectRef,
  recount,
  removeEvent,
} from './store.ts'

/** Another person's event is answered like a missing one, so that ids cannot be probed. */
export async function requireOwnEvent(ctx: UserCtx, rawId: string): Promise<EventWithKey> {
  const event = await findEvent(ctx.db, ctx.viewer.userId, rawId)
  if (!event) throw notFound('Event')
  return event
}

/** Returns an own event for a change and locks its project, as every write to a project does. */
export async function lockOwnEvent(ctx: UserCtx, rawId: string): Promise<EventWithKey> {
  const event = await requireOwnEvent(ctx, rawId)
  if (ctx.database.engine === 'sqlite') return event
  await lockProject(ctx.db, event)
  const locked = await requireOwnEvent(ctx, rawId)
  // The project was merged into another one in the meantime.
  if (locked.project_id !== event.project_id) throw new RunAgain()
  return locked
}

export const appendEvent = capability({
  name: 'memory.append',
  summary: 'Append an event to the memory of a project',
  description:
    'Memory is private to its author. Secrets in title, content and meta are replaced by placeholders of their kind before anything is stored.',
  scopes: ['record'],
  rest: ['POST /api/v1/project-context/events'],
  status: 201,
  maxBodyBytes: MAX_BODY_BYTES,
  errors: [404, 413],
  tool: {
    name: 'append_context_event',
    fieldsOf: 'append_context_turn',
    description:
      'Write one event to the private memory of a project. meta.fact_kind of fact_snapshot: project_facts, project_preferences; for __user__/preferences user_preferences, with meta.confirmed_by_user true.',
    // Without provenance: the agent has just written the text itself.
    output: ProjectContextEventResponse.omit({ provenance: true }),
    thin: thinAppended,
  },
  input: ProjectContextEventCreate,
  output: ProjectContextEventResponse,
  prepare: clean,
  run: (ctx, input, cleaned) =>
    inTx(
      ctx,
      async (ctx) => {
        const resolved = await resolveForWriting(ctx, input.project_key, input.workspace_id)
        const { project, event } = await appendTo(ctx, resolved, cleaned)
        const hint = hintFor(resolved, input)
        return {
          ...present(event, project.project_key),
          ...(hint ? { hint } : {}),
          ...searchNote([cleaned]),
        }
      },
      SELF_GUARDED,
    ),
})

export const readEvent = capability({
  name: 'memory.read',
  summary: 'One event of your own memory, whole',
  scopes: ['search'],
  rest: ['GET /api/v1/project-context/events/{raw_id}'],
  errors: [404],
  tool: {
    name: 'get_context_event',
    description: 'Read one event of the private memory, in parts of 12,000 characters.',
    readOnly: true,
    extension: true,
    thin: thinEvent,
  },
  input: z.object({ raw_id: Id }),
  output: ProjectContextEventResponse,
  run: async (ctx, { raw_id }) => {
    const event = await requireOwnEvent(ctx, raw_id)
    return { ...present(event, event.project_key), provenance: ownMemory(event.workspace_id) }
  },
})

const DeletingClient = Label

export const deleteEvent = capability({
  name: 'memory.delete',
  summary: 'Delete one event of your own memory for good',
  description:
    'With a turn go the drafts that were made from its session, and with the last event of a project all of its drafts. Those that were accepted stay, and so do their cards.',
  scopes: ['record'],
  rest: ['DELETE /api/v1/project-context/events/{raw_id}'],
  status: 204,
  errors: [404],
  tool: {
    name: 'delete_context_event',
    description: 'Delete one event of the private memory for good; ask the user first.',
    destructive: true,
    input: z.object({ raw_id: Id, confirmed_by_user: Confirmed, client: DeletingClient }),
  },
  input: z.object({ raw_id: Id, client: DeletingClient }),
  output: z.void(),
  run: (ctx, { raw_id, client }) =>
    inTx(
      ctx,
      async (ctx) => {
        const event = await lockOwnEvent(ctx, raw_id)
        if (event.event_type === 'turn' && event.session_id !== null)
          await removeMinedOfSession(ctx.db, event, event.session_id)
        await removeEvent(ctx.db, ctx.database.engine, event)
        const left = await recount(ctx.db, event, -1)
        if (left === 0) {
          await removeMinedOf(ctx.db, event)
          if (!(await findHistory(ctx.db, event))) await removeProject(ctx.db, event)
        }
        await audit(ctx, {
          action: 'memory.event_deleted',
          subject: { type: 'context_event', id: raw_id },
          workspaceId: event.workspace_id,
          details: client == null ? {} : { client: sanitise(client).text },
        })
      },
      SELF_GUARDED,
    ),
})

type EventPosition = { createdAt: string; eventNo: number }

type EventFilter = { sessionId: string | undefined; eventTypes: readonly ContextEventType[] }

type Window = {
  before: EventPosition | undefined
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

/** Returns the event this many places after another one, or undefined if there are fewer. */
async function positionAfter(
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

async function listNewestFirst(
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

/** Time and number of the last event of a page. The cursor stays valid when that event is deleted. */
const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_(\d{1,16})$/

const NO_CURSOR = 'Input should be next_cursor of the page before, as it was answered'

const positionOf = (cursor: string): EventPosition => {
  const [, createdAt = '', eventNo = ''] = CURSOR.exec(cursor) ?? []
  return { createdAt, eventNo: Number(eventNo) }
}

/** An impossible time would compare as text and return the first page or an empty page. */
const isRealTime = (time: string): boolean => {
  const date = new Date(time)
  return !Number.isNaN(date.getTime()) && date.toISOString() === time
}

const cursorOf = ({ createdAt, eventNo }: EventPosition) => `${createdAt}_${eventNo}`

/** How many events are examined per requested event; an index for filters would slow every write. */
const LOOKED_AT_PER_EVENT = 50

type TimelineQuery = {
  before: EventPosition | undefined
  limit: number
  characters: number
  filter: EventFilter
}

async function pageOf(
  ctx: UserCtx,
  project: ProjectRef,
  { before, limit, characters, filter }: TimelineQuery,
): Promise<{ rows: EventHead[]; next: EventPosition | undefined }> {
  const isFiltered = filter.sessionId !== undefined || filter.eventTypes.length > 0
  const downTo = isFiltered
    ? await positionAfter(ctx.db, project, before, limit * LOOKED_AT_PER_EVENT)
    : undefined
  // One more than requested, in events and in characters, shows whether there is more.
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

const ProjectContextEventsResponse = z
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
