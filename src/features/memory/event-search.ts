import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { UserCtx } from '../../core/context.ts'
import { AnswerId, JsonValue, Time } from '../../core/schemas.ts'
import { fromJsonOrNull } from '../../db/columns.ts'
import type { Database } from '../../db/db.ts'
import { fuse } from '../../search-index/index.ts'
import { tokens } from '../../text/analyse.ts'
import { foldCase } from '../../text/fold.ts'
import { type AskedWord, type Cover, type Coverage, coverageOf, FLOOR, readQuery } from '../../text/query.ts'
import { MAX_CHARACTERS, READ_AT_ONCE, snippetAround } from '../../text/snippet.ts'
import { type EventRange, eventNumber, type Occurrences, occurrencesIn, readLengths } from './event-index.ts'
import { eventsByMeaning } from './event-vectors.ts'
import { saidAbout } from './excerpt.ts'
import { type Project, partitionsOfPerson } from './projects.ts'
import {
  hasParts,
  isWhole,
  likelyScore,
  type Option,
  type Period,
  type Plan,
  planQuestion,
  type Reach,
  readDateWords,
  scoreOf,
  type TermList,
  type Wanted,
} from './question.ts'
import { EventType } from './schemas.ts'
import {
  countWords,
  type EventRow,
  eventNosBetween,
  firstAndLastBetween,
  keepBetween,
  lastPositions,
  loadEvents,
} from './store.ts'

type Likely = { eventNo: number; score: number }

const bestFirst = (a: Likely, b: Likely) => b.score - a.score || b.eventNo - a.eventNo

/** Truncated lists add no candidates, because their newest events would be favoured. */
function gather({ lists, wanted }: Plan): Map<number, number> {
  const used = wanted.flatMap((options) => options.map(({ position }) => lists[position] as TermList))
  const shortest = Math.min(
    ...used.map(({ frequency }) => (frequency > 0 ? frequency : Number.POSITIVE_INFINITY)),
  )
  const eventsAt = (position: number): readonly number[] => {
    const list = lists[position] as TermList
    return isWhole(list) || list.frequency === shortest ? list.eventNos : []
  }
  const sums = new Map<number, number>()
  const add = (eventNo: number, worth: number) => sums.set(eventNo, (sums.get(eventNo) ?? 0) + worth)
  for (const options of wanted) {
    const [only] = options
    if (options.length === 1 && only?.parts.length === 0)
      for (const eventNo of eventsAt(only.position)) add(eventNo, only.worth)
    else for (const [eventNo, worth] of bestWorths(options, eventsAt)) add(eventNo, worth)
  }
  return sums
}

/** Returns the weight of a word in each event: the weight of its best option. */
function bestWorths(options: Wanted, eventsAt: (position: number) => readonly number[]): Map<number, number> {
  const best = new Map<number, number>()
  for (const option of options)
    for (const [eventNo, worth] of worths(option, eventsAt))
      best.set(eventNo, Math.max(best.get(eventNo) ?? 0, worth))
  return best
}

/** Returns the weight of an option in each event: the whole term with its parts, or all parts together. */
function worths(
  { position, worth, parts }: Option,
  eventsAt: (position: number) => readonly number[],
): Map<number, number> {
  const found = new Map<number, number>()
  const inParts = parts.reduce((sum, part) => sum + part.worth, 0)
  const positions = [...new Set(parts.map((part) => part.position))]
  if (positions.length > 0) {
    const times = new Map<number, number>()
    for (const at of positions)
      for (const eventNo of eventsAt(at)) times.set(eventNo, (times.get(eventNo) ?? 0) + 1)
    for (const [eventNo, n] of times) if (n === positions.length) found.set(eventNo, inParts)
  }
  for (const eventNo of eventsAt(position)) found.set(eventNo, worth + inParts)
  return found
}

function bestOf(scores: ReadonlyMap<number, number>, most: number): Likely[] {
  let least = 0
  if (scores.size > most) {
    const sorted = Float64Array.from(scores.values()).sort()
    least = sorted[sorted.length - most] as number
  }
  const best: Likely[] = []
  for (const [eventNo, score] of scores) if (score >= least) best.push({ eventNo, score })
  return best.sort(bestFirst).slice(0, most)
}

export type Features = Coverage & {
  /** How far the event exceeds the ten best others: 1 if those match nothing, 0 if those match equally well. */
  standing: number
}

/** The confidence of card search, with coefficients fitted on events by `bench/memory/fit-confidence.ts`. */
const CONSTANT = -2.12
const COEFFICIENTS: Readonly<Record<keyof Features, number>> = {
  coverage: 6.7,
  covered: 7.53,
  asked: -3.39,
  prominence: 1.21,
  standing: -5.18,
}

/** The index cannot tell an exact word from another form of the word. */
const WORD_CREDIT = 0.95
const PARTS_CREDIT = 0.8
const OTHERS = 10

const isWeak = (confidence: number): boolean => confidence < FLOOR

type JudgedEvent = RankedEvent & { features: Features; confidence: number }

/** The weight of meaning where words find nothing sure, and where they do. */
const MEANING_WEIGHT = 0.5
const BEHIND_WORDS = 1e-6

const WITHOUT_WORDS: Omit<JudgedEvent, 'eventNo'> = {
  score: 0,
  words: { counts: [], length: 0 },
  features: { coverage: 0, covered: 0, asked: 0, prominence: 0, standing: -1 },
  confidence: 0,
}

const WEIGHED = Object.entries(COEFFICIENTS) as [keyof Features, number][]

export function confidenceOf(features: Features): number {
  if (features.asked === 0) return 0
  const sum = WEIGHED.reduce((sum, [name, coefficient]) => sum + coefficient * features[name], CONSTANT)
  return 1 / (1 + Math.exp(-sum))
}

function judge(events: readonly RankedEvent[], { wanted, information, unmatched }: Plan): JudgedEvent[] {
  const rest = events.slice(1, 1 + OTHERS).reduce((sum, { score }) => sum + score, 0) / OTHERS
  const says = [...information, ...unmatched]
  const missing = unmatched.map((): Cover => NOT_THERE)
  return events.map((event) => {
    const standing = Math.max(-1, 1 - rest / event.score)
    const covers = [...wanted.map((options) => coverOf(event.words, options)), ...missing]
    const features = { ...coverageOf(says, covers), standing }
    return { ...event, features, confidence: confidenceOf(features) }
  })
}

export const NOT_THERE: Cover = { credit: 0, isProminent: false, isCorrected: false, isByParts: false }

export function coverOf(words: Occurrences, options: Wanted): Cover {
  let best = NOT_THERE
  for (const option of options) {
    const count = words.counts[option.position] as number
    const isByParts = count === 0 && hasParts(words, option)
    if (count === 0 && !isByParts) continue
    const credit = option.likeness * (isByParts ? PARTS_CREDIT : WORD_CREDIT)
    if (credit > best.credit)
      best = { credit, isProminent: count > 1, isCorrected: option.likeness < 1, isByParts }
  }
  return best
}

const BYTES_OF_A_LENGTH = 50
const MAX_BYTES = 8 * 2 ** 20

/** Event numbers are never reused and event texts never change, so a cached length stays right. */
const kept = new WeakMap<Database, LRUCache<number, number>>()

function keptLengths(database: Database): LRUCache<number, number> {
  const known =
    kept.get(database) ?? new LRUCache({ maxSize: MAX_BYTES, sizeCalculation: () => BYTES_OF_A_LENGTH })
  kept.set(database, known)
  return known
}

async function lengthsOf(
  { database, db, ranges }: Reach,
  eventNos: readonly number[],
): Promise<Map<number, number>> {
  const known = keptLengths(database)
  const lengths = new Map<number, number>()
  const unread: number[] = []
  for (const eventNo of eventNos) {
    const length = known.get(eventNo)
    if (length === undefined) unread.push(eventNo)
    else lengths.set(eventNo, length)
  }
  if (unread.length === 0) return lengths
  for (const [eventNo, length] of await readLengths(db, database.engine, ranges[0]?.userId ?? '', unread)) {
    known.set(eventNo, length)
    lengths.set(eventNo, length)
  }
  return lengths
}

/** How many candidates have their length read. Fewer candidates have their words counted. */
const MEASURED = 600
const COUNTED = 150
/** All later pages come from one ranking, so that a reader sees every event once. */
const COUNTED_FOR_PAGES = 1000

type Effort = {
  limit: number
  corrects: boolean
  /** How many candidates have their words counted, where fewer than usual are enough. */
  counted?: number | undefined
}

export type RankedEvent = {
  eventNo: number
  score: number
  words: Occurrences
}

export type Ranking = {
  events: JudgedEvent[]
  /** Undefined if no word of the question is known. */
  plan: Plan | undefined
  /** How many events have any of the terms, and whether the number is exact. */
  matching: number
  isWhole: boolean
  terms: string[]
  corrected: Record<string, string>
  semantic?: boolean
}

const NOTHING: Ranking = { events: [], plan: undefined, matching: 0, isWhole: true, terms: [], corrected: {} }

export async function rankEvents(
  reach: Reach,
  asked: readonly AskedWord[],
  { limit, corrects, counted }: Effort,
): Promise<Ranking> {
  if (reach.ranges.length === 0) return NOTHING
  const plan = await planQuestion(reach, asked, corrects)
  if (plan.wanted.length === 0) return NOTHING
  const candidates = gather(plan)
  const events = judge(await rank(reach, plan, candidates, { limit, counted }), plan)
  const positions = plan.wanted.flatMap((options) => options.flatMap(positionsOf))
  return {
    events,
    plan,
    matching: candidates.size,
    isWhole: positions.every((position) => isWhole(plan.lists[position] as TermList)),
    terms: [...new Set(positions)].map((position) => plan.terms[position] as string),
    corrected: plan.corrected,
  }
}

const positionsOf = ({ position, parts }: Option) => [position, ...parts.map((part) => part.position)]

/** Ranks in three steps, each for fewer events: matched terms, then lengths, then word counts. */
async function rank(
  reach: Reach,
  { terms, wanted }: Plan,
  candidates: ReadonlyMap<number, number>,
  { limit, counted: most = COUNTED }: Pick<Effort, 'limit' | 'counted'>,
): Promise<RankedEvent[]> {
  const { db, database, ranges } = reach
  const averageLength = await averageLengthIn(reach)
  const counted = limit > COUNTED ? COUNTED_FOR_PAGES : most
  const pool = bestOf(candidates, Math.max(MEASURED, counted))
  const numbers = pool.map(({ eventNo }) => eventNo)
  const lengths = await lengthsOf(reach, numbers)
  const closest = (some: readonly Likely[], most: number) =>
    some
      .filter(({ eventNo }) => lengths.has(eventNo))
      .map(({ eventNo, score }) => ({
        eventNo,
        score: likelyScore(score, lengths.get(eventNo) as number, averageLength),
      }))
      .sort(bestFirst)
      .slice(0, most)
      .map(({ eventNo }) => eventNo)
  const close = closest(pool, counted)
  const first = new Set(closest(pool.slice(0, MEASURED), COUNTED))
  const used = [...new Set(wanted.flatMap((options) => options.flatMap(positionsOf)))].map(
    (position) => terms[position] as string,
  )
  const at = new Map(used.map((term, i) => [term, i]))
  const ranked: RankedEvent[] = []
  for (const range of ranges) {
    const within = close.filter((no) => no >= range.from && no <= range.to)
    for (const [eventNo, found] of await occurrencesIn(db, database.engine, range, within, used)) {
      const words = { ...found, counts: terms.map((term) => found.counts[at.get(term) ?? -1] ?? 0) }
      ranked.push({ eventNo, score: scoreOf(words, wanted, averageLength), words })
    }
  }
  const isLater = ({ eventNo }: Likely) => Number(!first.has(eventNo))
  return ranked.filter(({ score }) => score > 0).sort((a, b) => isLater(a) - isLater(b) || bestFirst(a, b))
}

const SAMPLED = 64
const LIKELY_LENGTH = 60

async function averageLengthIn(reach: Reach): Promise<number> {
  const { ranges } = reach
  const numbers = ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  const step = Math.max(1, Math.floor(numbers / SAMPLED))
  const sampled = ranges.flatMap(({ from, to }) =>
    Array.from({ length: Math.ceil((to - from + 1) / step) }, (_, i) => from + i * step),
  )
  const lengths = [...(await lengthsOf(reach, sampled)).values()]
  return lengths.length > 0
    ? lengths.reduce((sum, length) => sum + length, 0) / lengths.length
    : LIKELY_LENGTH
}

/** The limit for paging: a later page costs as much as all pages before it. */
export const MAX_RANKED = 1000

type RankedHit = {
  eventNo: number
  /** How likely the event answers the question, 0 to 1; undefined if the question names only a time. */
  confidence: number | undefined
}

type RankedHits = {
  hits: RankedHit[]
  total: number
  terms: string[]
  corrected: Record<string, string>
  period: Period | undefined
  /** Whether meaning was compared too; undefined if that was not wanted. */
  semantic?: boolean | undefined
}

type RankedWindow = {
  wanted: number
  mostCounted: number
  corrects: boolean
  /** Whether events near in meaning join those found by words. */
  byMeaning: boolean
}

export async function findRanked(
  ctx: UserCtx,
  project: Project,
  query: string,
  window: RankedWindow,
): Promise<RankedHits> {
  const ranges = await rangesOf(ctx, project)
  const dated = readDateWords(query, ctx.now())
  if (dated) {
    const found = await findWithin(ctx, project, dated.rest, dated.period, ranges, window)
    if (found) return found
  }
  const asked = readQuery(query)
  const ranking = await rankIn(ctx, project, ranges, { query, asked }, window)
  return hitsOf(ranking, await totalOf(ctx, project, ranges, ranking, window), undefined)
}

async function findWithin(
  ctx: UserCtx,
  project: Project,
  query: string,
  period: Period,
  ranges: readonly EventRange[],
  window: RankedWindow,
): Promise<RankedHits | undefined> {
  const asked = readQuery(query)
  if (!hasMeaning(asked)) {
    const numbers = await eventNosBetween(ctx.db, project, period, window.mostCounted)
    if (numbers.length === 0) return undefined
    const hits = numbers.map((eventNo) => ({ eventNo, confidence: undefined }))
    return { hits: hits.slice(0, MAX_RANKED), total: hits.length, terms: [], corrected: {}, period }
  }
  const within: EventRange[] = []
  for (const range of ranges) {
    const ends = await firstAndLastBetween(ctx.db, project, period, range)
    if (ends) within.push({ ...range, from: ends.first, to: ends.last })
  }
  const ranking = await rankIn(ctx, project, within, { query, asked }, window)
  // Event numbers follow the time unless the clock was set back, so the times are checked again.
  const kept = await keepBetween(
    ctx.db,
    project,
    period,
    ranking.events.map(({ eventNo }) => eventNo),
  )
  const events = ranking.events.filter(({ eventNo }) => kept.has(eventNo))
  const total = Math.min(window.mostCounted, Math.max(events.length, ranking.matching))
  const found = hitsOf({ ...ranking, events }, total, period)
  return found.hits.some(({ confidence = 0 }) => !isWeak(confidence)) ? found : undefined
}

const hasMeaning = (asked: readonly AskedWord[]) => asked.some(({ isStopWord }) => !isStopWord)

export async function rankIn(
  ctx: UserCtx,
  project: Project,
  ranges: readonly EventRange[],
  { query, asked }: { query: string; asked: readonly AskedWord[] },
  { wanted, corrects, byMeaning, counted }: Omit<RankedWindow, 'mostCounted'> & Pick<Effort, 'counted'>,
): Promise<Ranking> {
  const isAsked = byMeaning && ctx.config.embeddings !== undefined
  const near = isAsked ? eventsByMeaning(ctx, ranges, query) : undefined
  const numbers = ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  const events = Math.min(project.events, numbers)
  const reach = { db: ctx.db, database: ctx.database, ranges, events }
  const ranking = await rankEvents(reach, asked, { limit: Math.min(wanted, MAX_RANKED), corrects, counted })
  return near ? withNear(ranking, await near) : ranking
}

/** Joins events by rank. The judge knows words alone, so an event without them is weak. */
function withNear(ranking: Ranking, near: readonly number[] | undefined): Ranking {
  if (!near) return { ...ranking, semantic: false }
  const byWords = new Map(ranking.events.map((event) => [event.eventNo, event]))
  const [best] = ranking.events
  const numbers = fuse([
    { ids: [...byWords.keys()], weight: 1 },
    { ids: near, weight: best && !isWeak(best.confidence) ? BEHIND_WORDS : MEANING_WEIGHT },
  ])
  return {
    ...ranking,
    semantic: true,
    matching: Math.max(ranking.matching, numbers.length),
    events: numbers.map((eventNo) => byWords.get(eventNo) ?? { ...WITHOUT_WORDS, eventNo }),
  }
}

function hitsOf(
  { events, terms, corrected, semantic }: Ranking,
  total: number,
  period: Period | undefined,
): RankedHits {
  const hits = events.slice(0, MAX_RANKED).map(({ eventNo, confidence }) => ({ eventNo, confidence }))
  return { hits, total, terms, corrected, period, semantic }
}

async function totalOf(
  ctx: UserCtx,
  project: Project,
  ranges: readonly EventRange[],
  { matching, isWhole, terms }: Ranking,
  { mostCounted }: RankedWindow,
): Promise<number> {
  if (isWhole || matching >= mostCounted) return Math.min(matching, mostCounted)
  const partitions = ranges.map(({ partition }) => partition)
  const asked = { userId: project.user_id, terms }
  return countWords(ctx.db, ctx.database.engine, partitions, asked, mostCounted)
}

export async function rangesOf(ctx: UserCtx, project: Project): Promise<EventRange[]> {
  const positions = await lastPositions(ctx.db, project)
  return positions.map(({ partition, sequence }) => ({
    userId: project.user_id,
    partition,
    from: eventNumber(partition, 0),
    to: eventNumber(partition, sequence),
  }))
}

export const FoundEvent = z.object({
  raw_id: AnswerId,
  event_type: EventType,
  title: z.string().nullable(),
  snippet: z
    .string()
    .describe(
      'In a search by words what the event says about the query, otherwise the surroundings of the match.',
    ),
  session_id: z.string().nullable(),
  client: z.string().nullable(),
  meta: z.record(z.string(), JsonValue).nullable(),
  created_at: Time,
  score: z
    .number()
    .optional()
    .describe('In a search by words: how likely the event answers the query, 0 to 1.'),
  weak: z.literal(true).optional().describe('The event shares words with the query but hardly answers it.'),
})

export type ShownEvent = z.input<typeof FoundEvent>

export function presentRanked(
  rows: readonly EventRow[],
  page: RankedHits['hits'],
  { terms }: Pick<RankedHits, 'terms'>,
): ShownEvent[] {
  const confidenceOf = new Map(page.map(({ eventNo, confidence }) => [eventNo, confidence]))
  const asked = new Set(terms)
  return rows.map((row) => {
    const { at, word } = tellingWord(row.content, terms)
    const shown = presentEvent(row, word, saidAbout(row, asked, at))
    const score = confidenceOf.get(row.event_no)
    if (score === undefined) return shown
    return { ...shown, score: Math.round(score * 10_000) / 10_000, ...(isWeak(score) ? { weak: true } : {}) }
  })
}

export const presentEvent = (row: EventRow, needle: string, said?: string): ShownEvent => ({
  raw_id: row.raw_id,
  event_type: row.event_type,
  title: row.title,
  snippet: said ?? snippetAround(row.content, needle),
  session_id: row.session_id,
  client: row.client,
  meta: fromJsonOrNull<Record<string, z.core.util.JSONType>>(row.meta),
  created_at: row.created_at,
})

const LOOKED_THROUGH = 20_000

/** Returns the most significant query word in the content, as it is written there, and its place. */
function tellingWord(content: string, terms: readonly string[]): { at: number; word: string } {
  const beginning = content.slice(0, LOOKED_THROUGH)
  const positionOf = new Map(terms.map((term, position) => [term, position]))
  let best = { position: terms.length, at: 0, word: '' }
  for (const { start, end, terms } of tokens(beginning))
    for (const term of terms) {
      const position = positionOf.get(term)
      if (position !== undefined && position < best.position)
        best = { position, at: start, word: beginning.slice(start, end) }
    }
  return { at: best.at, word: foldCase(best.word) }
}

export async function rowsOf(ctx: UserCtx, eventNos: readonly number[]): Promise<EventRow[]> {
  const rows = new Map(
    (await loadEvents(ctx.db, ctx.viewer.userId, eventNos)).map((row) => [row.event_no, row]),
  )
  return eventNos.flatMap((eventNo) => rows.get(eventNo) ?? [])
}

/** Each partition is queried separately, so only this many of the most recent are searched. */
const MAX_PARTITIONS = 200

type EventOfProject = ShownEvent & { project_key: string; workspace_id: string }

async function readableRows(ctx: UserCtx, eventNos: readonly number[]): Promise<EventRow[]> {
  const rows: EventRow[] = []
  let characters = 0
  for (let at = 0; at < eventNos.length && characters < MAX_CHARACTERS; at += READ_AT_ONCE)
    for (const row of await rowsOf(ctx, eventNos.slice(at, at + READ_AT_ONCE))) {
      rows.push(row)
      characters += row.content.length
    }
  return rows
}

export async function searchAllMemory(
  ctx: UserCtx,
  query: string,
  limit: number,
): Promise<{ results: EventOfProject[]; total: number }> {
  const userId = ctx.viewer.userId
  const partitions = await partitionsOfPerson(ctx.db, userId, MAX_PARTITIONS)
  const ranges = partitions.map(({ partition_no, last_seq }) => ({
    userId,
    partition: partition_no,
    from: eventNumber(partition_no, 0),
    to: eventNumber(partition_no, last_seq),
  }))
  const events = partitions.reduce((sum, { last_seq }) => sum + last_seq, 0)
  const reach = { db: ctx.db, database: ctx.database, ranges, events }
  const effort = { limit: Math.min(limit, MAX_RANKED), corrects: false }
  const { events: ranked, terms } = await rankEvents(reach, readQuery(query), effort)
  const hits = ranked.filter(({ confidence }) => !isWeak(confidence))
  const page = hits.slice(0, limit).map(({ eventNo, confidence }) => ({ eventNo, confidence }))
  const rows = await readableRows(
    ctx,
    page.map(({ eventNo }) => eventNo),
  )
  const projects = new Map(partitions.map((partition) => [partition.project_id, partition]))
  const shown = presentRanked(rows, page, { terms })
  return {
    results: shown.map((event, i) => {
      const project = projects.get(rows[i]?.project_id ?? '')
      return {
        ...event,
        project_key: project?.project_key ?? '',
        workspace_id: project?.workspace_id ?? '',
      }
    }),
    total: hits.length,
  }
}
