import { z } from 'zod'
import { capability, thinAnswer } from '../../core/capability.ts'
import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { invalid } from '../../core/errors.ts'
import { partOf } from '../../core/invoke.ts'
import { AnswerId, Time } from '../../core/schemas.ts'
import { Provenance } from '../../core/untrusted-text.ts'
import { fromJson } from '../../db/columns.ts'
import { Findings } from '../../redaction/redact.ts'
import { documentFrom, turnContent, USER_PREFERENCES_KEY } from '../../shared/memory.ts'
import { foldCase } from '../../text/fold.ts'
import { cutText } from '../../text/unicode.ts'
import { tellWithdrawn } from '../cards/index.ts'
import {
  appendTo,
  appendTurnOnce,
  type Cleaned,
  clean,
  type Draft,
  presentCut,
  presentEvents,
  requireFits,
  searchNote,
} from './append.ts'
import { MIN_INDEXED_LENGTH, rarestGrams } from './event-index.ts'
import {
  FoundEvent,
  findRanked,
  MAX_RANKED,
  presentEvent,
  presentRanked,
  rowsOf,
  type ShownEvent,
} from './event-search.ts'
import { markForMining } from './mining-queue.ts'
import {
  ownMemory,
  type Project,
  type ResolvedProject,
  resolveForWriting,
  resolveProject,
} from './projects.ts'
import {
  Content,
  type EventAnswer,
  EventContext,
  EventType,
  LeftOut,
  MAX_BODY_BYTES,
  MAX_CONTENT_LENGTH,
  ProjectContextEventResponse,
  ProjectKey,
  presentWithdrawn,
  Redaction,
  roomForWithdrawn,
  SearchNote,
  spread,
  WithdrawnCard,
  WorkspaceId,
  withdrawnCost,
} from './schemas.ts'
import {
  countSubstring,
  type EventHead,
  type EventRow,
  eventsWithin,
  findSubstring,
  type NumberedEvent,
  newestParts,
  newestTexts,
  type Part,
  partitionsOf,
  scanNewest,
} from './store.ts'

type Event = z.output<typeof ProjectContextEventResponse>
type SnapshotAnswer = z.output<typeof ProjectContextSnapshotResponse>
type MemorySearchAnswer = z.output<typeof ProjectContextSearchResponse>
type ThinnedEvent = MemorySearchAnswer['results'][number]

/** The default limit in characters, about 6,000 tokens. */
const MAX_CHARACTERS = 24_000
const LABEL_CHARACTERS = 100

const label = (title: string | null) => (title ? { title: cutText(title, LABEL_CHARACTERS).text } : {})
const ifAny = <T>(name: string, list: readonly T[]) => (list.length > 0 ? { [name]: list } : {})

const ThinDocument = z.object({
  raw_id: AnswerId,
  content: z.string(),
  truncated: z.literal(true).optional(),
})
const ThinEvent = ThinDocument.extend({
  event_type: EventType,
  title: z.string().optional(),
  created_at: Time,
})

const thinDocument = (event: Event) => ({
  raw_id: event.raw_id,
  content: event.content,
  ...(event.truncated ? { truncated: true as const } : {}),
})
const documentOrNothing = (name: string, event: Event | null) =>
  event ? { [name]: thinDocument(event) } : {}

const thinSnapshot = thinAnswer({
  output: z.object({
    project_key: z.string(),
    user_preferences: ThinDocument.optional(),
    project_preferences: ThinDocument.optional(),
    facts: ThinDocument.optional(),
    summary: ThinDocument.optional(),
    recent_events: z.array(ThinEvent),
    total_events: z.int(),
    left_out: LeftOut.optional(),
    withdrawn_cards: z.array(WithdrawnCard).optional(),
  }),
  of: (whole: SnapshotAnswer) => {
    const { left_out, ...snapshot } = whole.left_out
      ? { ...whole, left_out: whole.left_out }
      : spread<Event, SnapshotAnswer>(whole, MAX_CHARACTERS)
    return {
      project_key: snapshot.project_key,
      ...documentOrNothing('user_preferences', snapshot.user_preferences),
      ...documentOrNothing('project_preferences', snapshot.project_preferences),
      ...documentOrNothing('facts', snapshot.facts),
      ...documentOrNothing('summary', snapshot.summary),
      recent_events: snapshot.recent_events.map((event) => ({
        ...thinDocument(event),
        event_type: event.event_type,
        ...label(event.title),
        created_at: event.created_at,
      })),
      total_events: snapshot.total_events,
      ...(left_out.characters > 0 || left_out.events > 0 ? { left_out } : {}),
      ...ifAny('withdrawn_cards', whole.withdrawn_cards ?? []),
    }
  },
})

const ThinHit = z.object({
  raw_id: AnswerId,
  event_type: EventType,
  title: z.string().optional(),
  snippet: z.string(),
  weak: z.literal(true).optional(),
  created_at: Time,
})

const thinHit = (hit: ThinnedEvent) => ({
  raw_id: hit.raw_id,
  event_type: hit.event_type,
  ...label(hit.title),
  snippet: hit.snippet,
  ...(hit.weak ? { weak: true as const } : {}),
  created_at: hit.created_at,
})

const thinMemorySearch = thinAnswer({
  output: z.object({
    project_key: z.string(),
    results: z.array(ThinHit),
    related: z.array(ThinHit).optional(),
    corrected: z.record(z.string(), z.string()).optional(),
    period: z.object({ from: Time, to: Time }).optional(),
    total: z.int(),
  }),
  of: (found: MemorySearchAnswer & { related?: ThinnedEvent[] | undefined }) => ({
    project_key: found.project_key,
    results: found.results.map(thinHit),
    ...ifAny('related', (found.related ?? []).map(thinHit)),
    ...(found.corrected ? { corrected: found.corrected } : {}),
    ...(found.period ? { period: found.period } : {}),
    total: found.total,
  }),
})

/** Returns an event in parts, because its text may exceed what a client accepts at once. */
export const thinEvent = thinAnswer({
  input: z.object({
    part: z.int().min(1).max(1000).default(1),
  }),
  output: z.object({
    raw_id: AnswerId,
    project_key: z.string(),
    event_type: EventType,
    created_at: Time,
    part: z.int(),
    parts: z.int(),
    title: z.string().optional(),
    content: z.string().optional(),
    meta: z.record(z.string(), z.unknown()).optional(),
  }),
  of: (event: Event, { part }) => {
    const { title, content, meta } = event
    const text = { ...(title ? { title } : {}), content, ...(meta ? { meta } : {}) }
    const { content: shown, ...which } = partOf(text, part)
    return {
      raw_id: event.raw_id,
      project_key: event.project_key,
      event_type: event.event_type,
      created_at: event.created_at,
      ...which,
      ...shown,
    }
  },
})

const hintsOf = ({ hint, search_note }: Partial<Pick<Event, 'hint' | 'search_note'>>): { hint?: string } => {
  const hints = [hint, search_note].filter((text) => text !== undefined)
  return hints.length > 0 ? { hint: hints.join(' ') } : {}
}

/** Omits the text that the writer has just sent. */
export const thinAppended = thinAnswer({
  output: z.object({
    raw_id: AnswerId,
    project_key: z.string(),
    event_type: EventType,
    redactions: z.array(Redaction).optional(),
    hint: z.string().optional(),
  }),
  of: (event: Event) => ({
    raw_id: event.raw_id,
    project_key: event.project_key,
    event_type: event.event_type,
    ...ifAny('redactions', event.redactions),
    ...hintsOf(event),
  }),
})

const thinTurn = thinAnswer({
  output: z.object({
    project_key: z.string(),
    raw_id: AnswerId,
    raw_ids: z.array(AnswerId),
    merged: z.literal(true).optional(),
    redactions: z.array(Redaction).optional(),
    hint: z.string().optional(),
  }),
  of: (turn: z.output<typeof ProjectContextTurnResponse>) => ({
    project_key: turn.project_key,
    raw_id: turn.raw_id,
    raw_ids: turn.raw_ids,
    ...(turn.merged ? { merged: true as const } : {}),
    ...ifAny('redactions', turn.redactions),
    ...hintsOf(turn),
  }),
})

const Mode = z.enum(['substring', 'ranked'])

/** Counting reads every match, so counting and paging end at this limit. */
const MAX_COUNTED = 5000

const MAX_QUERY_LENGTH = 2000

const SearchInput = z.object({
  project_key: ProjectKey,
  query: z.string().min(1).max(MAX_QUERY_LENGTH),
  workspace_id: WorkspaceId,
  limit: z.int().min(1).max(50).default(10),
  page: z.int().min(1).optional().describe('The first page is 1, the default'),
  mode: Mode.optional().describe(
    'substring (the default): the literal text, newest first; ranked: by words, best first.',
  ),
})

const ProjectContextSearchResponse = z
  .object({
    project_key: z.string(),
    workspace_id: AnswerId,
    provenance: Provenance.describe('Memory is written by the caller and read by nobody else.'),
    query: z.string(),
    mode: Mode,
    results: z.array(FoundEvent),
    related: z
      .array(FoundEvent)
      .optional()
      .describe(
        'If no event has the literal text: the events that match its words best, as in mode ranked, at most limit.',
      ),
    corrected: z
      .record(z.string(), z.string())
      .optional()
      .describe('Words that no event has, and the words that were searched instead.'),
    period: z
      .object({ from: Time, to: Time.describe('The first moment after it.') })
      .optional()
      .describe('The time that date words of the query narrowed the search to; days are those of UTC.'),
    total: z
      .int()
      .describe(
        `How many events match, on all pages; counting ends at ${MAX_COUNTED}, which then means that many or more. Pages end there too, and in mode ranked at event ${MAX_RANKED}.`,
      ),
    semantic: z
      .boolean()
      .optional()
      .describe('Where a model is configured, and words are ranked: whether meaning was compared too.'),
    page: z.int(),
    limit: z.int(),
  })
  .meta({ id: 'ProjectContextSearchResponse' })

export const searchMemory = capability({
  name: 'memory.search',
  summary: 'Search the memory of one project',
  scopes: ['search'],
  rest: ['GET /api/v1/project-context/search'],
  limit: 'search',
  errors: [404],
  tool: {
    name: 'search_project_context',
    description:
      "Find a literal text in one project's events, newest first; related: the best by words. Read with get_context_event.",
    readOnly: true,
    fieldsOf: 'get_project_context',
    thin: thinMemorySearch,
    input: SearchInput.omit({ mode: true, page: true }),
  },
  input: SearchInput,
  output: ProjectContextSearchResponse,
  run: async (ctx, { project_key, query, workspace_id, limit, page = 1, mode = 'substring' }) => {
    const { project, name, workspaceId } = await resolveProject(ctx, project_key, workspace_id)
    const window = { from: (page - 1) * limit, limit }
    const found = project ? await find(ctx, project, query, mode, window) : NOTHING
    return {
      project_key: project?.project_key ?? name.key,
      workspace_id: workspaceId,
      provenance: ownMemory(workspaceId),
      query,
      mode,
      ...found,
      page,
      limit,
    }
  },
})

type Window = { from: number; limit: number }
type Answer = Pick<
  z.input<typeof ProjectContextSearchResponse>,
  'related' | 'corrected' | 'period' | 'semantic' | 'total'
> & {
  results: ShownEvent[]
}

/** Spelling correction reads the substring index. In a project with more events, only mode ranked corrects. */
const CORRECTED_UNASKED = 20_000

const NOTHING: Answer = { results: [], total: 0 }

async function find(
  ctx: UserCtx,
  project: Project,
  query: string,
  mode: z.output<typeof Mode>,
  window: Window,
): Promise<Answer> {
  if (mode === 'ranked') {
    const { events, ...about } = await findByWords(ctx, project, query, window, {
      corrects: true,
      byMeaning: true,
    })
    return { results: events, ...about }
  }
  const { rows, total } = await findNewest(ctx, project, query, window)
  const results = rows.map((row) => presentEvent(row, foldCase(query)))
  if (total > 0 || window.from > 0) return { results, total }
  const {
    events: related,
    total: _,
    ...about
  } = await findByWords(ctx, project, query, window, {
    corrects: project.events <= CORRECTED_UNASKED,
    byMeaning: true,
  })
  return { results, total, related, ...about }
}

async function findByWords(
  ctx: UserCtx,
  project: Project,
  query: string,
  window: Window,
  how: { corrects: boolean; byMeaning: boolean },
  mostCounted = MAX_COUNTED,
) {
  const wanted = window.from + window.limit
  const ranked = await findRanked(ctx, project, query, { wanted, mostCounted, ...how })
  const { hits, total, corrected, period, semantic } = ranked
  const page = hits.slice(window.from, wanted)
  const rows = await rowsOf(
    ctx,
    page.map(({ eventNo }) => eventNo),
  )
  return {
    events: presentRanked(rows, page, ranked),
    total,
    ...(Object.keys(corrected).length > 0 ? { corrected } : {}),
    ...(period ? { period } : {}),
    ...(semantic === undefined ? {} : { semantic }),
  }
}

/** How many of the newest events are scanned for a common text, without an index. */
const NEWEST = 200
const SAMPLE = { events: 60, characters: 2000 }
const SHORT_NEEDLE_WINDOW = { events: 20_000, bytes: 32 * 1024 * 1024 }

type Matches = { rows: EventRow[]; total: number }

const newestFirst = (a: NumberedEvent, b: NumberedEvent) =>
  a.created_at === b.created_at ? b.event_no - a.event_no : a.created_at < b.created_at ? 1 : -1

async function findNewest(ctx: UserCtx, project: Project, query: string, window: Window): Promise<Matches> {
  const engine = ctx.database.engine
  const needle = foldCase(query)
  const wanted = Math.min(window.from + window.limit, MAX_COUNTED)
  const scan = (limit: number, read: number) => scanNewest(ctx.db, engine, project, needle, limit, read)
  const isShort = [...needle].length < MIN_INDEXED_LENGTH
  if (isShort || project.events <= NEWEST) {
    const { events, bytes } = SHORT_NEEDLE_WINDOW
    const readable = isShort ? await eventsWithin(ctx.db, project, events, bytes) : NEWEST
    const all = await scan(MAX_COUNTED, readable)
    return { rows: await rowsOf(ctx, pageOf(all, window)), total: all.length }
  }
  const recent = await scan(wanted, NEWEST)
  const sample = await newestTexts(ctx.db, project, SAMPLE.events, SAMPLE.characters)
  const asked = { userId: project.user_id, needle, grams: rarestGrams(needle, sample) }
  const partitions = await partitionsOf(ctx.db, project)
  if (recent.length >= wanted) {
    const total = await countSubstring(ctx.db, engine, partitions, asked, MAX_COUNTED)
    return { rows: await rowsOf(ctx, pageOf(recent.sort(newestFirst), window)), total }
  }
  const found = await findSubstring(ctx.db, engine, partitions, asked, MAX_COUNTED)
  const total = Math.min(found.length, MAX_COUNTED)
  return { rows: await rowsOf(ctx, pageOf(found.sort(newestFirst).slice(0, total), window)), total }
}

const pageOf = (found: readonly NumberedEvent[], { from, limit }: Window): number[] =>
  found.slice(from, from + limit).map((event) => event.event_no)

const ProjectContextSnapshotResponse = z
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

const newestEventsFirst = (a: EventHead, b: EventHead) =>
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
  // One more than requested shows whether something was cut.
  const rows = await newestParts(ctx.db, partsOf(resolved, limitEvents), maxCharsPerEvent + 1)
  rows.sort(newestEventsFirst)
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

const Document = z
  .union([Content, z.array(z.string().min(1).max(MAX_CONTENT_LENGTH)).min(1).max(1000)])
  .nullish()

const ProjectContextTurnCreate = z
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

const ProjectContextTurnResponse = z
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
