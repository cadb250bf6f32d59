import type { AskedWord } from '../../../text/query-words.ts'
import { bestFirst, bestOf, gather, type Likely } from './candidates.ts'
import { type JudgedEvent, judge } from './judge.ts'
import { lengthsOf } from './lengths.ts'
import { type Plan, planQuestion } from './plan-question.ts'
import { likelyScore, type Option, scoreOf } from './score-events.ts'
import { isWhole, type Reach, type TermList } from './term-lists.ts'
import { type Occurrences, occurrencesIn } from './word-index.search.ts'

/** How many candidates are measured by their length. Fewer of them have their words counted. */
const MEASURED = 600
const COUNTED = 150
/** All later pages come from one ranking that begins as the first ones do, so that a reader sees every event once. */
const COUNTED_FOR_PAGES = 1000

/** How many events are needed, and whether words that no event has are looked for under another spelling. */
export type Effort = { limit: number; corrects: boolean }

export type RankedEvent = {
  eventNo: number
  score: number
  words: Occurrences
}

export type Ranking = {
  /** Best first; of equal ones the newer first. Each has its confidence. */
  events: JudgedEvent[]
  /** How many events have any of the terms, and whether the number is exact. */
  matching: number
  isWhole: boolean
  /** The terms that an event may have matched, the most telling first, corrected ones included. */
  terms: string[]
  corrected: Record<string, string>
}

const NOTHING: Ranking = { events: [], matching: 0, isWhole: true, terms: [], corrected: {} }

/** Ranks the events in reach by the words of a question. */
export async function rankEvents(
  reach: Reach,
  asked: readonly AskedWord[],
  { limit, corrects }: Effort,
): Promise<Ranking> {
  if (reach.ranges.length === 0) return NOTHING
  const plan = await planQuestion(reach, asked, corrects)
  if (plan.wanted.length === 0) return NOTHING
  const candidates = gather(plan)
  const events = judge(await rank(reach, plan, candidates, limit), plan)
  const positions = plan.wanted.flatMap((options) => options.flatMap(positionsOf))
  return {
    events,
    matching: candidates.size,
    isWhole: positions.every((position) => isWhole(plan.lists[position] as TermList)),
    terms: [...new Set(positions)].map((position) => plan.terms[position] as string),
    corrected: plan.corrected,
  }
}

const positionsOf = ({ position, parts }: Option) => [position, ...parts.map((part) => part.position)]

/** In three steps, each looking closer at fewer events: what they have, how long they are, how often they have it. */
async function rank(
  reach: Reach,
  { terms, wanted }: Plan,
  candidates: ReadonlyMap<number, number>,
  limit: number,
): Promise<RankedEvent[]> {
  const { db, database, ranges } = reach
  const averageLength = await averageLengthIn(reach)
  const counted = limit > COUNTED ? COUNTED_FOR_PAGES : COUNTED
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
  // Of the terms that were looked up, a long question uses a few.
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

/** How many events are sampled for their average length. */
const SAMPLED = 64
const LIKELY_LENGTH = 60

/** The sample is spread over the ranges. */
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
