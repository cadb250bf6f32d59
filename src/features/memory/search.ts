import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import type { UserCtx } from '../../core/context.ts'
import { Provenance } from '../../core/provenance.ts'
import { AnswerId, JsonValue, Time } from '../../core/schemas.ts'
import { fromJsonOrNull } from '../../db/columns.ts'
import { queryTerms, tokens } from '../../text/analyse.ts'
import { codeInHit, findSubstring, findWord, rarestGrams, SHORTEST_INDEXED } from './events.search.ts'
import { type EventRow, loadEvents, newestTexts, scanNewest } from './events.store.ts'
import { ownMemory, placeOf } from './place.ts'
import { type Project, partitionsOf } from './projects.store.ts'
import { bestFirst, estimateFrequency, type Ranked, rankByWords } from './ranking.ts'
import { EventType, ProjectKey, WorkspaceId } from './schemas.ts'
import { foldCase, snippetAround } from './text.ts'

const Mode = z.enum(['substring', 'ranked'])

const SearchInput = z.object({
  project_key: ProjectKey,
  query: z.string().min(1).max(2000),
  workspace_id: WorkspaceId,
  limit: z.int().min(1).max(50).default(10),
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
    results: z.array(
      z.object({
        raw_id: AnswerId,
        event_type: EventType,
        title: z.string().nullable(),
        snippet: z.string().describe('The surroundings of the match.'),
        session_id: z.string().nullable(),
        client: z.string().nullable(),
        meta: z.record(z.string(), JsonValue).nullable(),
        created_at: Time,
      }),
    ),
    total: z.int().describe('How many results are in this answer.'),
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
      'Find a literal piece of text in the events of one project, in any language and case, when get_project_context no longer shows it. Not for knowledge cards; that is search_records. Returns events newest first, with a snippet.',
    readOnly: true,
    input: SearchInput.omit({ mode: true }),
  },
  input: SearchInput,
  output: ProjectContextSearchResponse,
  run: async (ctx, { project_key, query, workspace_id, limit, mode = 'substring' }) => {
    const { project, name, workspaceId } = await placeOf(ctx, project_key, workspace_id)
    const rows = !project
      ? []
      : mode === 'ranked'
        ? await findRanked(ctx, project, query, limit)
        : await findNewest(ctx, project, query, limit)
    return {
      project_key: project?.project_key ?? name.key,
      workspace_id: workspaceId,
      provenance: ownMemory(workspaceId),
      query,
      mode,
      results: rows.map((row) => presentHit(row, mode, query)),
      total: rows.length,
    }
  },
})

function presentHit(row: EventRow, mode: z.output<typeof Mode>, query: string) {
  return {
    raw_id: row.raw_id,
    event_type: row.event_type,
    title: row.title,
    snippet: snippetAround(row.content, mode === 'ranked' ? firstMatch(row.content, query) : foldCase(query)),
    session_id: row.session_id,
    client: row.client,
    meta: fromJsonOrNull<Record<string, z.core.util.JSONType>>(row.meta),
    created_at: row.created_at,
  }
}

/** The first word of the content that the query asks for, as it is written there. */
function firstMatch(content: string, query: string): string {
  const wanted = new Set(queryTerms(query))
  const beginning = content.slice(0, 20_000)
  const token = tokens(beginning).find((token) => token.terms.some((term) => wanted.has(term)))
  return token ? foldCase(beginning.slice(token.start, token.end)) : foldCase(query)
}

/** Enough of the newest events that a common text is found among them without any index. */
const NEWEST = 200
/** What is common in these is taken to be common in all of the project. */
const SAMPLE = { events: 60, characters: 2000 }
/** Too short for the index: read one by one, but never more than this. */
const SHORT_NEEDLE_WINDOW = 20_000

async function findNewest(ctx: UserCtx, project: Project, query: string, limit: number): Promise<EventRow[]> {
  const engine = ctx.database.engine
  const needle = foldCase(query)
  const scan = (window: number) => scanNewest(ctx.db, engine, project, needle, limit, window)
  const isShort = [...needle].length < SHORTEST_INDEXED
  const recent = await scan(isShort ? SHORT_NEEDLE_WINDOW : NEWEST)
  if (isShort || recent.length >= limit || project.events <= NEWEST) return newestRows(ctx, recent, limit)
  const sample = await newestTexts(ctx.db, project, SAMPLE.events, SAMPLE.characters)
  const grams = rarestGrams(needle, sample)
  const found: number[] = []
  for (const partition of await partitionsOf(ctx.db, project)) {
    found.push(
      ...(await findSubstring(ctx.db, engine, { userId: project.user_id, partition }, needle, grams, limit)),
    )
  }
  return newestRows(ctx, found, limit)
}

async function newestRows(ctx: UserCtx, eventNos: readonly number[], limit: number): Promise<EventRow[]> {
  const rows = await loadEvents(ctx.db, ctx.viewer.userId, eventNos)
  rows.sort((a, b) =>
    a.created_at === b.created_at ? b.event_no - a.event_no : a.created_at < b.created_at ? 1 : -1,
  )
  return rows.slice(0, limit)
}

/** A question of more words than this is asked by its first ones. */
const MOST_TERMS = 12
/** Of each word the newest events take part; a rare word has no more than these anyway. */
const HITS_PER_TERM = 100

async function findRanked(ctx: UserCtx, project: Project, query: string, limit: number): Promise<EventRow[]> {
  const engine = ctx.database.engine
  const terms = queryTerms(query).slice(0, MOST_TERMS)
  const ranked: Ranked[] = []
  for (const partition of await partitionsOf(ctx.db, project)) {
    const hits = []
    for (const term of terms) {
      const found = await findWord(
        ctx.db,
        engine,
        { userId: project.user_id, partition },
        term,
        HITS_PER_TERM,
      )
      const numbers = found.map((hit) => hit.eventNo)
      const frequency = estimateFrequency(numbers, HITS_PER_TERM, project.events)
      hits.push({ code: codeInHit(engine, term, partition), hits: found, frequency })
    }
    ranked.push(...rankByWords(hits, project.events, limit))
  }
  const best = ranked.sort(bestFirst).slice(0, limit)
  const found = await loadEvents(
    ctx.db,
    project.user_id,
    best.map(({ eventNo }) => eventNo),
  )
  const rows = new Map(found.map((row) => [row.event_no, row]))
  return best.flatMap(({ eventNo }) => rows.get(eventNo) ?? [])
}
