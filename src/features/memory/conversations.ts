import { type RawBuilder, sql } from 'kysely'
import type { UserCtx } from '../../core/context.ts'
import type { ContextEventType } from '../../db/knowledge-schema.ts'
import { type Named, prepared } from '../../db/prepared.ts'
import { type AskedWord, coverageOf, readQuery } from '../../text/query.ts'
import { spokenProduct } from '../../text/terms.ts'
import { type EventRange, eventNumber, LAST_SEQUENCE, type Occurrences, partitionOf } from './event-index.ts'
import {
  coverOf,
  type Features,
  NOT_THERE,
  type RankedEvent,
  type Ranking,
  rangesOf,
  rankIn,
} from './event-search.ts'
import { excerptOf, opensAmendment, type Told, textOfExcerpt } from './excerpt.ts'
import { isAllMarked, type Marked } from './mark-store.ts'
import type { Project } from './projects.ts'
import { type Plan, scoreOf } from './question.ts'

/** How many of the best events are joined to conversations. */
const JOINED = 40
/** Events of a session that lie further apart in the project's memory are different conversations. */
const APART = 40
const MAX_TOLD = 60
const TOLD_CHARACTERS = 12_000
/** How many events before and after those that were found belong to what is read. */
const AROUND = 30
const OTHERS = 10

type Evidence = Features & {
  /** How much the best name (`merge_tags`) says that both the question and the conversation have, at most 1. */
  named: number
}

/** Fitted on dialogues, each by its turns together; bench/README.md has the figures. */
const CONSTANT = -6.5
const COEFFICIENTS: Readonly<Record<keyof Evidence, number>> = {
  coverage: 1.6,
  covered: 2.6,
  asked: -0.7,
  prominence: 0.9,
  standing: 3.2,
  named: 4.4,
}

type Head = {
  event_no: number
  raw_id: string
  session_id: string | null
  event_type: ContextEventType
  created_at: string
}

type RankedConversation = {
  heads: Head[]
  score: number
  evidence: Evidence
  confidence: number
  /** How sure its best event is by itself. */
  single: number
}

const together = (events: readonly RankedEvent[]): Occurrences => ({
  length: events.reduce((sum, { words }) => sum + words.length, 0),
  counts: (events[0]?.words.counts ?? []).map((_, i) =>
    events.reduce((sum, { words }) => sum + (words.counts[i] ?? 0), 0),
  ),
})

const HEAD = sql`event_no, raw_id, session_id, event_type, created_at`

const headsOnSqlite = prepared(
  'eventHeads',
  (_, parameter: Named<{ userId: string; numbers: string }>) =>
    sql<Head>`select ${HEAD} from context_events where user_id = ${parameter('userId')} and slot = 'recent'
      and event_no in (select value from json_each(${parameter('numbers')}))`,
)

const headsOnPostgres = prepared(
  'eventHeads',
  (_, parameter: Named<{ userId: string; numbers: number[] }>) =>
    sql<Head>`select ${HEAD} from context_events where user_id = ${parameter('userId')} and slot = 'recent'
      and event_no = any(${parameter('numbers')}::bigint[])`,
)

async function headsOf(ctx: UserCtx, numbers: readonly number[]): Promise<Map<number, Head>> {
  const { userId } = ctx.viewer
  const heads =
    ctx.database.engine === 'sqlite'
      ? await headsOnSqlite(ctx.db, { userId, numbers: `[${numbers.join()}]` })
      : await headsOnPostgres(ctx.db, { userId, numbers: [...numbers] })
  return new Map(heads.map((head) => [head.event_no, head]))
}

/** Returns the events of each session that lie near each other. */
function groupsOf(events: readonly RankedEvent[], heads: ReadonlyMap<number, Head>): RankedEvent[][] {
  const bySession = Map.groupBy(
    events.filter(({ eventNo }) => heads.has(eventNo)),
    ({ eventNo }) => heads.get(eventNo)?.session_id ?? eventNo,
  )
  return [...bySession.values()].flatMap((some) => {
    const groups: RankedEvent[][] = []
    for (const event of some.toSorted((a, b) => a.eventNo - b.eventNo)) {
      const group = groups.at(-1)
      if (group && event.eventNo - (group.at(-1)?.eventNo ?? 0) <= APART) group.push(event)
      else groups.push([event])
    }
    return groups
  })
}

/** Returns how much the rarest name says that the question and these words share; a product's name says little. */
function namedIn(words: Occurrences, { terms, wanted, information }: Plan): number {
  let most = 0
  for (const [i, [option]] of wanted.entries()) {
    const isName = option !== undefined && option.parts.length > 0 && (words.counts[option.position] ?? 0) > 0
    if (isName && spokenProduct(terms[option.position] ?? '') === undefined)
      most = Math.max(most, information[i] ?? 0)
  }
  return Math.min(1, most)
}

function sureness(evidence: Evidence): number {
  if (evidence.asked === 0) return 0
  const sum = (Object.keys(COEFFICIENTS) as (keyof Evidence)[]).reduce(
    (sum, name) => sum + COEFFICIENTS[name] * evidence[name],
    CONSTANT,
  )
  return 1 / (1 + Math.exp(-sum))
}

/** Judges conversations by their turns together: one turn asks, another one decides. */
function judge(
  groups: readonly RankedEvent[][],
  plan: Plan,
  heads: ReadonlyMap<number, Head>,
  sureOf: ReadonlyMap<number, number>,
): RankedConversation[] {
  const pooled = groups.map((events) => ({ events, words: together(events) }))
  const average = pooled.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, pooled.length)
  const scored = pooled
    .map((one) => ({ ...one, score: scoreOf(one.words, plan.wanted, average) }))
    .sort((a, b) => b.score - a.score)
  const rest = scored.slice(1, 1 + OTHERS).reduce((sum, { score }) => sum + score, 0) / OTHERS
  const says = [...plan.information, ...plan.unmatched]
  const missing = plan.unmatched.map(() => NOT_THERE)
  return scored.map(({ events, words, score }) => {
    const covers = [...plan.wanted.map((options) => coverOf(words, options)), ...missing]
    const standing = Math.max(-1, 1 - rest / score)
    const evidence = { ...coverageOf(says, covers), standing, named: namedIn(words, plan) }
    return {
      heads: events.map(({ eventNo }) => heads.get(eventNo) as Head),
      score,
      evidence,
      confidence: sureness(evidence),
      single: Math.max(...events.map(({ eventNo }) => sureOf.get(eventNo) ?? 0)),
    }
  })
}

export async function rankConversations(
  ctx: UserCtx,
  project: Project,
  ranges: readonly EventRange[],
  asked: readonly AskedWord[],
  counted?: number,
): Promise<{ ranking: Ranking; conversations: RankedConversation[] }> {
  const ranking = await rankIn(
    ctx,
    project,
    ranges,
    { query: '', asked },
    { wanted: JOINED, corrects: false, byMeaning: false, counted },
  )
  const best = ranking.events.slice(0, JOINED)
  if (!ranking.plan || best.length === 0) return { ranking, conversations: [] }
  const heads = await headsOf(
    ctx,
    best.map(({ eventNo }) => eventNo),
  )
  const sureOf = new Map(best.map(({ eventNo, confidence }) => [eventNo, confidence]))
  return { ranking, conversations: judge(groupsOf(best, heads), ranking.plan, heads, sureOf) }
}

export type ToldEvent = Told & { raw_id: string; event_no: number; title: string | null }

export type Conversation = {
  /** In the order of time. */
  told: ToldEvent[]
  confidence: number
}

const cut = (characters: number): RawBuilder<string> => sql<string>`substr(content, 1, ${characters})`

/** Reads what was said in the session around the events that were found; undefined if those are marked as a whole. */
async function read(
  ctx: UserCtx,
  { heads, confidence, single }: RankedConversation,
  isMarked: Marked | undefined,
): Promise<Conversation | undefined> {
  const [first, last] = [heads[0] as Head, heads.at(-1) as Head]
  const partition = partitionOf(first.event_no)
  const events = ctx.db
    .selectFrom('context_events')
    .select(['raw_id', 'event_no', 'event_type', 'created_at', 'title', cut(TOLD_CHARACTERS).as('content')])
    .where('user_id', '=', ctx.viewer.userId)
    .where('slot', '=', 'recent')
    .orderBy('event_no')
    .limit(MAX_TOLD)
  const around =
    first.session_id === null
      ? events.where('event_no', '=', first.event_no)
      : events
          .where('session_id', '=', first.session_id)
          .where('event_no', '>=', Math.max(eventNumber(partition, 0), first.event_no - AROUND))
          .where('event_no', '<=', Math.min(eventNumber(partition, LAST_SEQUENCE), last.event_no + AROUND))
  const all = await around.execute()
  const told = isMarked ? all.filter(({ content }) => !isAllMarked(content, isMarked)) : all
  const left = new Set(told.map(({ raw_id }) => raw_id))
  if (!heads.some(({ raw_id }) => left.has(raw_id))) return undefined
  return { told, confidence: Math.max(confidence, single) }
}

/** The share of the best conversation's score from which another one is about the same matter. */
const SAME_MATTER = 0.4
const MAX_CONVERSATIONS = 3
/** In characters: what stands for a conversation when later ones about it are looked for. */
const MATTER_CHARACTERS = 600
const MAX_LOOKED_AT = 4
/** The share of the earlier conversation's words from which a later one is about the same matter. */
const MIN_COVERAGE = 0.42
const MIN_CONFIDENCE = 0.5

type Asking = {
  /** The session that asks, whose own events do not come. */
  sessionId: string | null
  isMarked: Marked | undefined
}

/** Finds later conversations about what a text says, which the words of the prompt need not name. */
async function laterAbout(
  ctx: UserCtx,
  project: Project,
  text: string,
  { after, sessionId, isMarked }: Asking & { after: number },
): Promise<Conversation[]> {
  const all = await rangesOf(ctx, project)
  const ranges = all
    .map((range) => ({ ...range, from: Math.max(range.from, after + 1) }))
    .filter(({ from, to }) => from <= to)
  if (ranges.length === 0) return []
  const { conversations } = await rankConversations(ctx, project, ranges, readQuery(text), JOINED)
  const later: Conversation[] = []
  for (const one of conversations.slice(0, MAX_LOOKED_AT)) {
    if (one.confidence < MIN_CONFIDENCE || isOf(one, sessionId)) continue
    const conversation = await read(ctx, one, isMarked)
    if (!conversation) continue
    if (one.evidence.coverage >= MIN_COVERAGE || opensAmendment(conversation.told)) later.push(conversation)
  }
  return later
}

const isOf = ({ heads }: RankedConversation, sessionId: string | null): boolean =>
  sessionId !== null && heads[0]?.session_id === sessionId

const lastNo = ({ told }: Conversation): number => told.at(-1)?.event_no ?? 0
const newestFirst = (one: Conversation, other: Conversation) => lastNo(other) - lastNo(one)

const isSame = (one: Conversation, other: Conversation): boolean =>
  one.told.some(({ raw_id }) => other.told.some((event) => event.raw_id === raw_id))

export type FoundDocument = { raw_id: string; event_no: number; confidence: number }

export type Remembered = {
  /** About one matter, the latest first. */
  conversations: Conversation[]
  /** Documents among the best events: current ones and replaced ones. */
  documents: FoundDocument[]
}

type Floors = {
  /** For an event by itself. */
  event: number
  /** For a conversation by its turns together; undefined if only single events count. */
  conversation: number | undefined
}

const DOCUMENTS_AMONG = 5

/** Finds what memory has about a text: the conversations about one matter, and documents. */
export async function remember(
  ctx: UserCtx,
  project: Project,
  text: string,
  { floors, ...asking }: Asking & { floors: Floors },
): Promise<Remembered> {
  const ranges = await rangesOf(ctx, project)
  const { ranking, conversations } = await rankConversations(ctx, project, ranges, readQuery(text))
  const others = conversations.filter((one) => !isOf(one, asking.sessionId))
  // A low hit may seem sure by itself in a project of few events.
  const mayStandAlone = (one: RankedConversation) =>
    one === others[0] || one.heads.some(({ event_no }) => event_no === ranking.events[0]?.eventNo)
  const sure = others.filter(
    (one) =>
      (one.single >= floors.event && mayStandAlone(one)) ||
      (floors.conversation !== undefined && one.confidence >= floors.conversation),
  )
  const best = sure[0]?.score ?? 0
  const found: (Conversation | undefined)[] = []
  for (const one of sure.slice(0, MAX_CONVERSATIONS))
    if (one.score >= SAME_MATTER * best) found.push(await read(ctx, one, asking.isMarked))
  const readable = found.filter((one) => one !== undefined)
  // A failure asks for what was done about it, not for a rule, so a second ranking is not worth its time.
  const mayBeAmended = floors.conversation !== undefined
  return {
    conversations: mayBeAmended
      ? await withLater(ctx, project, readable, asking)
      : readable.toSorted(newestFirst),
    documents: await documentsIn(ctx, ranking.events.slice(0, DOCUMENTS_AMONG), floors.event),
  }
}

/** Adds later conversations about the matter of the earliest one: an amendment often names neither function nor symptom. */
async function withLater(
  ctx: UserCtx,
  project: Project,
  found: readonly Conversation[],
  asking: Asking,
): Promise<Conversation[]> {
  const [first] = found
  const earliest = found.toSorted(newestFirst).at(-1)
  if (!first || !earliest) return []
  const matter = textOfExcerpt(
    excerptOf(earliest.told, { known: new Set(), room: MATTER_CHARACTERS, isLeftOut: asking.isMarked }),
  )
  const later = await laterAbout(ctx, project, matter, { ...asking, after: lastNo(earliest) })
  const all = [...found]
  for (const one of later) if (!all.some((other) => isSame(one, other))) all.push(one)
  const [newest, next, ...older] = all.toSorted(newestFirst)
  const kept = [newest, next, older.includes(first) ? first : older[0]]
  return kept.filter((one) => one !== undefined)
}

async function documentsIn(ctx: UserCtx, events: Ranking['events'], floor: number): Promise<FoundDocument[]> {
  const sure = events.filter(({ confidence }) => confidence >= floor)
  if (sure.length === 0) return []
  const sureOf = new Map(sure.map(({ eventNo, confidence }) => [eventNo, confidence]))
  const rows = await ctx.db
    .selectFrom('context_events')
    .select(['raw_id', 'event_no'])
    .where('user_id', '=', ctx.viewer.userId)
    .where('event_no', 'in', [...sureOf.keys()])
    .where('slot', 'in', ['facts', 'preferences'])
    .execute()
  return rows.map((row) => ({ ...row, confidence: sureOf.get(row.event_no) ?? 0 }))
}

/** Finds conversations later than a document that are about the lines of it. */
export const laterThanDocument = (
  ctx: UserCtx,
  project: Project,
  lines: string,
  { document, ...asking }: Asking & { document: FoundDocument },
): Promise<Conversation[]> => laterAbout(ctx, project, lines, { ...asking, after: document.event_no })
