import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, SELF_GUARDED } from '../../core/context.ts'
import { invalid } from '../../core/errors.ts'
import { AnswerId } from '../../core/schemas.ts'
import { fromJson } from '../../db/columns.ts'
import { Findings } from '../redaction/stored.ts'
import { appendTo, type Cleaned, clean, type Draft, requireFits, searchNote } from './append.ts'
import { documentFrom } from './documents.ts'
import { markForMining } from './mining-due.ts'
import { resolveForWriting } from './resolve-project.ts'
import { appendTurnOnce } from './same-turn.ts'
import {
  Content,
  EventContext,
  EventType,
  LONGEST_CONTENT,
  MAX_BODY_BYTES,
  ProjectKey,
  Redaction,
  SearchNote,
  WorkspaceId,
} from './schemas.ts'
import { thinTurn } from './thin.ts'
import { turnContent } from './turn-content.ts'

const Document = z
  .union([Content, z.array(z.string().min(1).max(LONGEST_CONTENT)).min(1).max(1000)])
  .nullish()

export const ProjectContextTurnCreate = z
  .object({
    project_key: ProjectKey,
    user_message: Content.describe('Verbatim; of a long message the first 4000 characters'),
    agent_report: Content.describe('Done, found, left open; for the next reader'),
    workspace_id: WorkspaceId,
    summary: Document.describe('Current focus; replaces the last one'),
    facts: Document,
    project_preferences: Document,
    ...EventContext,
  })
  .meta({ id: 'ProjectContextTurnCreate' })

export const ProjectContextTurnResponse = z
  .object({
    project_key: z.string(),
    workspace_id: AnswerId,
    raw_id: AnswerId.describe('Of the turn.'),
    raw_ids: z.array(AnswerId).describe('Of everything that was written, the turn first.'),
    events: z.array(z.object({ raw_id: AnswerId, event_type: EventType, fact_kind: z.string().nullable() })),
    redactions: z.array(Redaction),
    merged: z
      .literal(true)
      .optional()
      .describe('Another client had already stored this exchange; the fuller turn of the two stayed.'),
    search_note: SearchNote,
  })
  .meta({ id: 'ProjectContextTurnResponse' })

type TurnInput = z.output<typeof ProjectContextTurnCreate>

/** The turn first, then the documents that were given. */
function draftsOf(input: TurnInput): (Draft & { field: string })[] {
  const { title, session_id, client, meta } = input
  const shared = { title, session_id, client }
  const snapshot = (field: 'facts' | 'project_preferences', factKind: string) => {
    const given = input[field]
    if (given == null) return []
    const facts = { ...meta, fact_kind: factKind }
    return [
      { ...shared, field, event_type: 'fact_snapshot' as const, content: documentFrom(given), meta: facts },
    ]
  }
  return [
    {
      ...shared,
      field: 'agent_report',
      event_type: 'turn',
      content: turnContent(input.user_message, input.agent_report),
      meta,
    },
    ...(input.summary == null
      ? []
      : [
          {
            ...shared,
            field: 'summary',
            event_type: 'summary' as const,
            content: documentFrom(input.summary),
            meta,
          },
        ]),
    ...snapshot('facts', 'project_facts'),
    ...snapshot('project_preferences', 'project_preferences'),
  ]
}

export const appendTurn = capability({
  name: 'memory.append_turn',
  summary: 'Append one turn, and the summary, facts and preferences that came out of it, in one step',
  scopes: ['record'],
  rest: ['POST /api/v1/project-context/turns'],
  status: 201,
  maxBodyBytes: MAX_BODY_BYTES,
  errors: [404, 413],
  tool: {
    name: 'append_context_turn',
    description:
      'Record a finished work unit in the private memory of a project. Give the documents summary, facts and project_preferences only when they changed, each whole.',
    thin: thinTurn,
  },
  input: ProjectContextTurnCreate,
  output: ProjectContextTurnResponse,
  prepare: async (ctx, input) => {
    const drafts = draftsOf(input)
    for (const { field, content } of drafts) checkContent(field, content)
    const cleaned: Cleaned[] = []
    for (const { field: _, ...draft } of drafts) cleaned.push(await clean(ctx, draft))
    return cleaned
  },
  run: (ctx, input, cleaned) =>
    inTx(
      ctx,
      async (ctx) => {
        const resolved = await resolveForWriting(ctx, input.project_key, input.workspace_id)
        if (resolved.name.form === 'user_preferences')
          throw invalid(
            'project_key',
            'The key __user__/preferences takes no turns: it holds one fact_snapshot',
          )
        const findings = new Findings()
        const events: z.input<typeof ProjectContextTurnResponse>['events'] = []
        let projectKey = resolved.name.key
        let isMerged = false
        for (const ready of cleaned) {
          const { draft } = ready
          const { project, event, merged } =
            draft.event_type === 'turn'
              ? await appendTurnOnce(ctx, resolved, ready)
              : { ...(await appendTo(ctx, resolved, ready)), merged: false }
          isMerged ||= merged
          if (draft.event_type === 'turn') await markForMining(ctx, event)
          resolved.project = project
          projectKey = project.project_key
          findings.add(fromJson(event.redactions))
          const factKind = draft.event_type === 'fact_snapshot' ? String(draft.meta?.fact_kind) : null
          events.push({ raw_id: event.raw_id, event_type: event.event_type, fact_kind: factKind })
        }
        const rawIds = events.map((event) => event.raw_id)
        return {
          project_key: projectKey,
          workspace_id: resolved.workspaceId,
          raw_id: rawIds[0] as string,
          raw_ids: rawIds,
          events,
          redactions: findings.list(),
          ...(isMerged ? { merged: true as const } : {}),
          ...searchNote(cleaned),
        }
      },
      SELF_GUARDED,
    ),
})

function checkContent(field: string, content: string): void {
  if (content === '') throw invalid(field, 'The list should have at least one item that is not empty')
  requireFits(field, content)
}
