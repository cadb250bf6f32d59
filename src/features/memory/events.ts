import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import { Id } from '../../core/schemas.ts'
import { audit } from '../audit/audit.ts'
import { sanitise } from '../redaction/redact.ts'
import { appendTo, clean, hintFor, present } from './append.ts'
import { findEvent, recount, removeEvent } from './events.store.ts'
import { removeProject } from './projects.store.ts'
import { resolveProject } from './resolve-project.ts'
import {
  Confirmed,
  Label,
  MAX_BODY_BYTES,
  ProjectContextEventCreate,
  ProjectContextEventResponse,
} from './schemas.ts'

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
    description:
      "Write one event to the private memory of a project: user_message (the user's text verbatim, about 4000 characters at most, then a summary), agent_report, summary (current focus) or fact_snapshot (meta.fact_kind project_facts or project_preferences). For a whole work unit use append_context_turn; returns the stored event, secrets redacted. The key __user__/preferences takes only fact_snapshot with meta.fact_kind user_preferences and meta.confirmed_by_user true.",
  },
  input: ProjectContextEventCreate,
  output: ProjectContextEventResponse,
  run: (ctx, input) => {
    const cleaned = clean(input)
    return inTx(ctx, async (ctx) => {
      const resolved = await resolveProject(ctx, input.project_key, input.workspace_id)
      const { project, event } = await appendTo(ctx, resolved, cleaned)
      const hint = hintFor(resolved, input)
      return { ...present(event, project.project_key), ...(hint ? { hint } : {}) }
    })
  },
})

export const readEvent = capability({
  name: 'memory.read',
  summary: 'One event of your own memory, whole',
  scopes: ['search'],
  rest: ['GET /api/v1/project-context/events/{raw_id}'],
  errors: [404],
  input: z.object({ raw_id: Id }),
  output: ProjectContextEventResponse,
  run: async (ctx, { raw_id }) => {
    const event = await findEvent(ctx.db, ctx.viewer.userId, raw_id)
    if (!event) throw notFound('Event')
    return present(event, event.project_key)
  },
})

const DeletingClient = Label.describe('Which client deletes; kept in the audit log')

export const deleteEvent = capability({
  name: 'memory.delete',
  summary: 'Delete one event of your own memory for good',
  scopes: ['record'],
  rest: ['DELETE /api/v1/project-context/events/{raw_id}'],
  status: 204,
  errors: [404],
  tool: {
    name: 'delete_context_event',
    description:
      'Delete one event of the private memory for good, by raw_id. Ask the user first (confirmed_by_user true); to correct a fact write a newer fact_snapshot instead. Returns no data.',
    destructive: true,
    input: z.object({ raw_id: Id, confirmed_by_user: Confirmed, client: DeletingClient }),
  },
  input: z.object({ raw_id: Id, client: DeletingClient }),
  output: z.void(),
  run: (ctx, { raw_id, client }) =>
    inTx(ctx, async (ctx) => {
      const event = await findEvent(ctx.db, ctx.viewer.userId, raw_id)
      if (!event) throw notFound('Event')
      await removeEvent(ctx.db, ctx.database.engine, event)
      const left = await recount(ctx.db, event, -1)
      if (left === 0) await removeProject(ctx.db, event)
      await audit(ctx, {
        action: 'memory.event_deleted',
        subject: { type: 'context_event', id: raw_id },
        workspaceId: event.workspace_id,
        details: client == null ? {} : { client: sanitise(client).text },
      })
    }),
})
