import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import type { UserCtx } from '../../core/context.ts'
import { Provenance } from '../../core/provenance.ts'
import { AnswerId, Time } from '../../core/schemas.ts'
import { tellWithdrawn } from '../card-reads/card-reads.ts'
import { presentCut, presentEvents } from './append.ts'
import { type EventHead, newestParts, type Part } from './events.store.ts'
import { USER_PREFERENCES_KEY } from './project-key.ts'
import { ownMemory, type ResolvedProject, resolveProject } from './resolve-project.ts'
import { type EventAnswer, LeftOut, ProjectContextEventResponse, ProjectKey, WorkspaceId } from './schemas.ts'
import { spread } from './spread.ts'
import { thinSnapshot } from './thin.ts'
import { presentWithdrawn, roomForWithdrawn, WithdrawnCard, withdrawnCost } from './withdrawn.ts'

export const ProjectContextSnapshotResponse = z
  .object({
    project_key: z.string(),
    workspace_id: AnswerId,
    provenance: Provenance.describe('Memory is written by the caller and read by nobody else.'),
    summary: ProjectContextEventResponse.nullable().describe('The current focus; may be partial.'),
    facts: ProjectContextEventResponse.nullable().describe('The current document of stable facts.'),
    project_preferences: ProjectContextEventResponse.nullable(),
    user_preferences: ProjectContextEventResponse.nullable().describe('What holds in every project.'),
    recent_events: z
      .array(ProjectContextEventResponse)
      .describe('Newest first, without the documents above.'),
    total_events: z.int(),
    left_out: LeftOut.optional().describe(
      'With max_total_chars: how many of these events, and how many characters in all, were left out.',
    ),
    withdrawn_cards: z
      .array(WithdrawnCard)
      .optional()
      .describe(
        'Cards of others that your agents have read and that moderators or reports have hidden since; told once in each project.',
      ),
    generated_at: Time,
  })
  .meta({ id: 'ProjectContextSnapshotResponse' })

export type Snapshot = z.input<typeof ProjectContextSnapshotResponse>

/** Each part is one range of one index, so the cost does not grow with the number of events. */
function partsOf({ project, userPreferences }: ResolvedProject, limitEvents: number): Part[] {
  const parts: Part[] = []
  if (userPreferences) parts.push({ project: userPreferences, slot: 'preferences', limit: 1 })
  if (!project || project.project_id === userPreferences?.project_id) return parts
  return [
    ...parts,
    { project, slot: 'summary', limit: 1 },
    { project, slot: 'facts', limit: 1 },
    { project, slot: 'preferences', limit: 1 },
    { project, slot: 'recent', limit: limitEvents },
  ]
}

const newestFirst = (a: EventHead, b: EventHead) =>
  a.created_at < b.created_at || (a.created_at === b.created_at && a.event_no < b.event_no) ? 1 : -1

export const readSnapshot = capability({
  name: 'memory.snapshot',
  summary: 'What an agent needs at the start of its work: focus, facts, preferences, recent events',
  scopes: ['search'],
  rest: ['GET /api/v1/project-context/snapshot'],
  errors: [404],
  tool: {
    name: 'get_project_context',
    description:
      'Restore what is known about a project at the start of a session; ask for max_total_chars 6000.',
    readOnly: true,
    thin: thinSnapshot,
  },
  input: z.object({
    project_key: ProjectKey,
    workspace_id: WorkspaceId,
    limit_events: z.int().min(1).max(100).default(20),
    max_chars_per_event: z.int().min(200).max(20_000).default(2000),
    max_total_chars: z
      .int()
      .min(1000)
      .max(200_000)
      .optional()
      .describe('Limit of all texts; shared out by importance'),
  }),
  output: ProjectContextSnapshotResponse,
  run: async (ctx, { project_key, workspace_id, limit_events, max_chars_per_event, max_total_chars }) => {
    const resolved = await resolveProject(ctx, project_key, workspace_id)
    const snapshot = await snapshotOf(ctx, resolved, limit_events, max_chars_per_event)
    const withdrawn = await tellWithdrawn(ctx, snapshot.project_key, roomForWithdrawn(max_total_chars))
    const told = withdrawn.length > 0 ? { withdrawn_cards: withdrawn.map(presentWithdrawn) } : {}
    if (max_total_chars === undefined) return { ...snapshot, ...told }
    const room = max_total_chars - withdrawnCost(told)
    return { ...spread<EventAnswer, Snapshot>(snapshot, room), ...told }
  },
})

export async function snapshotOf(
  ctx: UserCtx,
  resolved: ResolvedProject,
  limitEvents: number,
  maxCharsPerEvent: number,
): Promise<Snapshot> {
  const { project, userPreferences } = resolved
  // One more than asked for shows whether something was cut.
  const rows = await newestParts(ctx.db, partsOf(resolved, limitEvents), maxCharsPerEvent + 1)
  rows.sort(newestFirst)
  const key = project?.project_key ?? resolved.name.key
  const document = (projectId: string | undefined, slot: EventHead['slot'], documentKey: string) => {
    const row = rows.find((row) => row.project_id === projectId && row.slot === slot)
    return row ? presentCut(row, documentKey, maxCharsPerEvent) : null
  }
  const isUserPreferences = resolved.name.form === 'user_preferences'
  return {
    project_key: key,
    workspace_id: resolved.workspaceId,
    provenance: ownMemory(resolved.workspaceId),
    summary: document(project?.project_id, 'summary', key),
    facts: document(project?.project_id, 'facts', key),
    project_preferences: isUserPreferences ? null : document(project?.project_id, 'preferences', key),
    user_preferences: document(userPreferences?.project_id, 'preferences', USER_PREFERENCES_KEY),
    recent_events: presentEvents(
      rows.filter((row) => row.slot === 'recent'),
      key,
      maxCharsPerEvent,
    ),
    total_events: project?.events ?? 0,
    generated_at: ctx.now().toISOString(),
  }
}
