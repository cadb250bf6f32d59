import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import type { UserCtx } from '../../core/context.ts'
import { Provenance } from '../../core/provenance.ts'
import { AnswerId, Time } from '../../core/schemas.ts'
import { cutText } from '../../text/cut-text.ts'
import { foldCase } from '../../text/fold.ts'
import { rarestGrams, SHORTEST_INDEXED } from './events.search.ts'
import { type EventRow, type NumberedEvent, newestTexts, scanNewest } from './events.store.ts'
import { eventsWithin } from './events-within.store.ts'
import { FoundEvent, presentEvent, presentRanked, rowsOf, type ShownEvent } from './found-events.ts'
import { countSubstring, findSubstring } from './matches.search.ts'
import { partitionsOf } from './partitions.store.ts'
import type { Project } from './projects.store.ts'
import { findRanked, MOST_RANKED } from './ranked/find-ranked.ts'
import { ownMemory, resolveProject } from './resolve-project.ts'
import { ProjectKey, WorkspaceId } from './schemas.ts'
import { thinMemorySearch } from './thin.ts'

const Mode = z.enum(['substring', 'ranked'])

/** Counting reads every match, so it has a limit. Pages end there too. */
const MOST_COUNTED = 5000

const LONGEST_QUERY = 2000

const SearchInput = z.object({
  project_key: ProjectKey,
  query: z.string().min(1).max(LONGEST_QUERY),
  workspace_id: WorkspaceId,
  limit: z.int().min(1).max(50).default(10),
  page: z.int().min(1).optional().describe('The first page is 1, the default'),
  mode: Mode.optional().describe(
    'substring (the default): the literal text, newest first; ranked: by words, best first.',
  ),
})

export const ProjectContextSearchResponse = z
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
        `How many events match, on all pages; counting ends at ${MOST_COUNTED}, which then means that many or more. Pages end there too, and in mode ranked at event ${MOST_RANKED}.`,
      ),
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
  'related' | 'corrected' | 'period' | 'total'
> & {
  results: ShownEvent[]
}

/** Correcting a spelling reads the substring index. In a project with more events than this, only mode ranked does it. */
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
    const { events, ...about } = await findByWords(ctx, project, query, window, true)
    return { results: events, ...about }
  }
  const { rows, total } = await findNewest(ctx, project, query, window)
  const results = rows.map((row) => presentEvent(row, foldCase(query)))
  if (total > 0 || window.from > 0) return { results, total }
  const {
    events: related,
    total: _,
    ...about
  } = await findByWords(ctx, project, query, window, project.events <= CORRECTED_UNASKED)
  return { results, total, related, ...about }
}

/** A page of a search by words. */
async function findByWords(
  ctx: UserCtx,
  project: Project,
  query: string,
  window: Window,
  corrects: boolean,
  mostCounted = MOST_COUNTED,
) {
  const wanted = window.from + window.limit
  const ranked = await findRanked(ctx, project, query, { wanted, mostCounted, corrects })
  const { hits, total, corrected, period } = ranked
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
  }
}

/** The events of a project that match a text best, for features that show them unasked. Matches are not counted. */
export async function eventsFor(
  ctx: UserCtx,
  project: Project,
  text: string,
  limit: number,
): Promise<ShownEvent[]> {
  const query = cutText(text, LONGEST_QUERY).text
  const { events } = await findByWords(ctx, project, query, { from: 0, limit }, false, 0)
  return events
}

/** A common text is found among this many of the newest events, without any index. */
const NEWEST = 200
/** A sample for estimating what is common in the whole project. */
const SAMPLE = { events: 60, characters: 2000 }
/**
 * A needle that is too short for the index is looked for in the newest events, up to this limit. Reading blocks the
 * process, so bytes count too.
 */
const SHORT_NEEDLE_WINDOW = { events: 20_000, bytes: 32 * 1024 * 1024 }

type Matches = { rows: EventRow[]; total: number }

const newestFirst = (a: NumberedEvent, b: NumberedEvent) =>
  a.created_at === b.created_at ? b.event_no - a.event_no : a.created_at < b.created_at ? 1 : -1

async function findNewest(ctx: UserCtx, project: Project, query: string, window: Window): Promise<Matches> {
  const engine = ctx.database.engine
  const needle = foldCase(query)
  const wanted = Math.min(window.from + window.limit, MOST_COUNTED)
  const scan = (limit: number, read: number) => scanNewest(ctx.db, engine, project, needle, limit, read)
  const isShort = [...needle].length < SHORTEST_INDEXED
  if (isShort || project.events <= NEWEST) {
    const { events, bytes } = SHORT_NEEDLE_WINDOW
    const readable = isShort ? await eventsWithin(ctx.db, project, events, bytes) : NEWEST
    const all = await scan(MOST_COUNTED, readable)
    return { rows: await rowsOf(ctx, pageOf(all, window)), total: all.length }
  }
  const recent = await scan(wanted, NEWEST)
  const sample = await newestTexts(ctx.db, project, SAMPLE.events, SAMPLE.characters)
  const asked = { userId: project.user_id, needle, grams: rarestGrams(needle, sample) }
  const partitions = await partitionsOf(ctx.db, project)
  // Either way the index is walked once.
  if (recent.length >= wanted) {
    const total = await countSubstring(ctx.db, engine, partitions, asked, MOST_COUNTED)
    return { rows: await rowsOf(ctx, pageOf(recent.sort(newestFirst), window)), total }
  }
  const found = await findSubstring(ctx.db, engine, partitions, asked, MOST_COUNTED)
  const total = Math.min(found.length, MOST_COUNTED)
  return { rows: await rowsOf(ctx, pageOf(found.sort(newestFirst).slice(0, total), window)), total }
}

const pageOf = (found: readonly NumberedEvent[], { from, limit }: Window): number[] =>
  found.slice(from, from + limit).map((event) => event.event_no)
