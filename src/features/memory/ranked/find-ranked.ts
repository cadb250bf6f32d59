import type { UserCtx } from '../../../core/context.ts'
import { type AskedWord, readQuery } from '../../../text/query-words.ts'
import { eventNumber } from '../events.search.ts'
import { eventNosBetween, firstAndLastBetween, keepBetween } from '../events-by-time.store.ts'
import { countWords } from '../matches.search.ts'
import { lastPositions } from '../partitions.store.ts'
import type { Project } from '../projects.store.ts'
import { type Period, readDateWords } from './date-words.ts'
import { isWeak } from './judge.ts'
import { type Ranking, rankEvents } from './rank-events.ts'
import type { EventRange } from './word-index.search.ts'

/** A later page costs as much as all pages before it, so there is a limit. */
export const MOST_RANKED = 1000

export type RankedHit = {
  eventNo: number
  /** How likely the event answers the question, 0 to 1; undefined if the question names only a time. */
  confidence: number | undefined
}

export type RankedHits = {
  hits: RankedHit[]
  total: number
  /** The terms that a hit may have matched, the most telling first. */
  terms: string[]
  corrected: Record<string, string>
  /** The period, if date words narrowed the search. */
  period: Period | undefined
}

export type RankedWindow = { wanted: number; mostCounted: number; corrects: boolean }

/** The events of a project that answer a question best by its words, within the time that it names. */
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
  const ranking = await rankIn(ctx, project, ranges, asked, window)
  return hitsOf(ranking, await totalOf(ctx, project, ranges, ranking, window), undefined)
}

/** Undefined if no event of that period matches. Then all words are searched, including the date words. */
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
    return { hits: hits.slice(0, MOST_RANKED), total: hits.length, terms: [], corrected: {}, period }
  }
  const within: EventRange[] = []
  for (const range of ranges) {
    const ends = await firstAndLastBetween(ctx.db, project, period, range)
    if (ends) within.push({ ...range, from: ends.first, to: ends.last })
  }
  const ranking = await rankIn(ctx, project, within, asked, window)
  // Event numbers follow the time, unless the clock was set back.
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

/** Whether the question has more than a time. */
const hasMeaning = (asked: readonly AskedWord[]) => asked.some(({ isStopWord }) => !isStopWord)

const rankIn = (
  ctx: UserCtx,
  project: Project,
  ranges: readonly EventRange[],
  asked: readonly AskedWord[],
  { wanted, corrects }: RankedWindow,
): Promise<Ranking> => {
  const numbers = ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  const events = Math.min(project.events, numbers)
  const reach = { db: ctx.db, database: ctx.database, ranges, events }
  return rankEvents(reach, asked, { limit: Math.min(wanted, MOST_RANKED), corrects })
}

function hitsOf(
  { events, terms, corrected }: Ranking,
  total: number,
  period: Period | undefined,
): RankedHits {
  const hits = events.slice(0, MOST_RANKED).map(({ eventNo, confidence }) => ({ eventNo, confidence }))
  return { hits, total, terms, corrected, period }
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

/** All of a project: its partitions, each up to its last event. */
async function rangesOf(ctx: UserCtx, project: Project): Promise<EventRange[]> {
  const positions = await lastPositions(ctx.db, project)
  return positions.map(({ partition, sequence }) => ({
    userId: project.user_id,
    partition,
    from: eventNumber(partition, 0),
    to: eventNumber(partition, sequence),
  }))
}
