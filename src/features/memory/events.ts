import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, SELF_GUARDED } from '../../core/context.ts'
import { Id } from '../../core/schemas.ts'
import { audit } from '../audit/audit.ts'
import { sanitise } from '../redaction/redact.ts'
import { appendTo, clean, hintFor, present, searchNote } from './append.ts'
import { recount, removeEvent } from './events.store.ts'
import { removeMinedOf, removeMinedOfSession } from './mined.store.ts'
import { holdOwnEvent, requireOwnEvent } from './own-events.ts'
import { removeProject } from './projects.store.ts'
import { ownMemory, resolveForWriting } from './resolve-project.ts'
import {
  Confirmed,
  Label,
  MAX_BODY_BYTES,
  ProjectContextEventCreate,
  ProjectContextEventResponse,
} from './schemas.ts'
import { thinAppended, thinEvent } from './thin.ts'

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
    // An agent that has just written the text is not told whose it is.
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
        const event = await holdOwnEvent(ctx, raw_id)
        if (event.event_type === 'turn' && event.session_id !== null)
          await removeMinedOfSession(ctx.db, event, event.session_id)
        await removeEvent(ctx.db, ctx.database.engine, event)
        const left = await recount(ctx.db, event, -1)
        if (left === 0) {
          await removeMinedOf(ctx.db, event)
          await removeProject(ctx.db, event)
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
