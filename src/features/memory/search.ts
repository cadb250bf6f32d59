import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import type { UserCtx } from '../../core/context.ts'
import { Provenance } from '../../core/provenance.ts'
import { AnswerId, JsonValue, Time } from '../../core/schemas.ts'
import { fromJsonOrNull } from '../../db/columns.ts'
import { queryTerms, tokens } from '../../text/analyse.ts'
import { foldCase } from '../../text/fold.ts'
import { snippetAround } from '../../text/literal-snippet.ts'
import { codeInHit, findWord, rarestGrams, SHORTEST_INDEXED } from './events.search.ts'
import { type EventRow, loadEvents, type NumberedEvent, newestTexts, scanNewest } from './events.store.ts'
import { eventsWithin } from './events-within.store.ts'
import { countSubstring, countWords, findSubstring } from './matches.search.ts'
import { type Project, partitionsOf } from './projects.store.ts'
import { bestFirst, estimateFrequency, type Ranked, rankByWords } from './ranking.ts'
import { ownMemory, resolveProject } from './resolve-project.ts'
import { EventType, ProjectKey, WorkspaceId } from './schemas.ts'
import { thinMemorySearch } from './thin.ts'

const Mode = z.enum(['substring', 'ranked'])

/** Counting reads every match, so it ends somewhere; nobody pages further either. */
const MOST_COUNTED = 5000
/** Ranking compares the words of every event on the pages before. */
const MOST_RANKED = 1000

const SearchInput = z.object({
  project_key: ProjectKey,
  query: z.string().min(1).max(2000),
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
    total: z
      .int()
      .describe(
        `How many events match, on all pages; counting ends at ${MOST_COUNTED}, which then means so many or more. Pages end there too, and in mode ranked at event ${MOST_RANKED}.`,
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
      'Find a literal text in the events of one project, newest first; cards have search_records. Read a hit with get_context_event.',
    readOnly: true,
    thin: thinMemorySearch,
    input: SearchInput.omit({ mode: true, page: true }),
  },
  input: SearchInput,
  output: ProjectContextSearchResponse,
  run: async (ctx, { project_key, query, workspace_id, limit, page = 1, mode = 'substring' }) => {
    const { project, name, workspaceId } = await resolveProject(ctx, project_key, workspace_id)
    const find = mode === 'ranked' ? findRanked : findNewest
    const from = (page - 1) * limit
    const { rows, total } = project ? await find(ctx, project, query, { from, limit }) : NOTHING
    return {
      project_key: project?.project_key ?? name.key,
      workspace_id: workspaceId,
      provenance: ownMemory(workspaceId),
      query,
      mode,
      results: rows.map((row) => presentHit(row, mode, query)),
      total,
      page,
      limit,
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
/** Too short for the index: read one by one, but never more than this. Reading holds the process, so bytes count too. */
const SHORT_NEEDLE_WINDOW = { events: 20_000, bytes: 32 * 1024 * 1024 }

type Window = { from: number; limit: number }
type Matches = { rows: EventRow[]; total: number }

const NOTHING: Matches = { rows: [], total: 0 }

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
    return { rows: await rowsOf(ctx, all, window), total: all.length }
  }
  const recent = await scan(wanted, NEWEST)
  const sample = await newestTexts(ctx.db, project, SAMPLE.events, SAMPLE.characters)
  const asked = { userId: project.user_id, needle, grams: rarestGrams(needle, sample) }
  const partitions = await partitionsOf(ctx.db, project)
  const found =
    recent.length >= wanted ? recent : await findSubstring(ctx.db, engine, partitions, asked, wanted)
  const total =
    found.length < wanted
      ? found.length
      : await countSubstring(ctx.db, engine, partitions, asked, MOST_COUNTED)
  return { rows: await rowsOf(ctx, found.sort(newestFirst), window), total }
}

/** The events of one page, in the order in which they were found. */
async function rowsOf(
  ctx: UserCtx,
  found: readonly { event_no: number }[],
  { from, limit }: Window,
): Promise<EventRow[]> {
  const numbers = found.slice(from, from + limit).map((event) => event.event_no)
  const rows = new Map(
    (await loadEvents(ctx.db, ctx.viewer.userId, numbers)).map((row) => [row.event_no, row]),
  )
  return numbers.flatMap((eventNo) => rows.get(eventNo) ?? [])
}

/** A question of more words than this is asked by its first ones. */
const MOST_TERMS = 12
/** Only the newest events of each word take part. A rare word has no more than these anyway. */
const HITS_PER_TERM = 100

async function findRanked(ctx: UserCtx, project: Project, query: string, window: Window): Promise<Matches> {
  const engine = ctx.database.engine
  const terms = queryTerms(query).slice(0, MOST_TERMS)
  const wanted = Math.min(window.from + window.limit, MOST_RANKED)
  const hitsPerTerm = Math.max(HITS_PER_TERM, wanted)
  const partitions = await partitionsOf(ctx.db, project)
  const ranked: Ranked[] = []
  for (const partition of partitions) {
    const hits = []
    for (const term of terms) {
      const whose = { userId: project.user_id, partition }
      const found = await findWord(ctx.db, engine, whose, term, hitsPerTerm)
      const numbers = found.map((hit) => hit.eventNo)
      const frequency = estimateFrequency(numbers, hitsPerTerm, project.events)
      hits.push({ code: codeInHit(engine, term, partition), hits: found, frequency })
    }
    ranked.push(...rankByWords(hits, project.events, wanted))
  }
  const best = ranked
    .sort(bestFirst)
    .slice(0, MOST_RANKED)
    .map(({ eventNo }) => ({ event_no: eventNo }))
  const isAll = best.length < wanted
  const asked = { userId: project.user_id, terms }
  return {
    rows: await rowsOf(ctx, best, window),
    total: isAll ? best.length : await countWords(ctx.db, engine, partitions, asked, MOST_COUNTED),
  }
}
