import { rarity } from '../../../text/bm25.ts'
import type { AskedTerm } from './asked-terms.ts'
import { type MeantWord, wordsMeantBy } from './meant-words.ts'
import { type Alternative, likelyScore, scoreOf, type Wanted } from './score-events.ts'
import { complete, probe, type Reach, type TermList } from './term-lists.ts'
import { lengthsOf, type Occurrences, occurrencesIn } from './word-index.search.ts'

/** Of a longer question the first terms are looked up, and those that gain most are asked for. */
const MOST_LOOKED_UP = 96
const MOST_TERMS = 32
/** Words that no event has are looked for under another spelling; so many of them. */
const MOST_UNKNOWN = 3

/** Candidates whose length is looked at, and those whose words are counted. */
const MEASURED = 600
const COUNTED = 150

export type RankedEvent = {
  eventNo: number
  score: number
  /** The share of the question's information that the event covers, 0 to 1. */
  covered: number
}

export type Ranking = {
  /** Best first; the newer of two equals first. */
  events: RankedEvent[]
  /** How many events have any of the terms, and whether these are surely all. */
  matching: number
  isWhole: boolean
  /** What an event may have matched: the terms asked for, and those taken to be meant. */
  terms: string[]
  corrected: Record<string, string>
}

const NOTHING: Ranking = { events: [], matching: 0, isWhole: true, terms: [], corrected: {} }

/** How many events are needed, and whether words that no event has are looked for under another spelling. */
export type Effort = { limit: number; mends: boolean }

type Sought = { term: string; list: TermList; worth: number }

/** Ranks the events in reach by the words of a question. */
export async function rankEvents(
  reach: Reach,
  asked: readonly AskedTerm[],
  { limit, mends }: Effort,
): Promise<Ranking> {
  const looked = asked.slice(0, MOST_LOOKED_UP)
  const lists = await probe(
    reach,
    looked.map(({ term }) => term),
  )
  const worthOf = (weight: number, frequency: number) => weight * rarity(frequency, reach.events)
  const found = looked.map((term, i) => ({ ...term, list: lists[i] as TermList }))
  const known = found
    .filter(({ list }) => list.frequency > 0)
    .sort((a, b) => worthOf(b.weight, b.list.frequency) - worthOf(a.weight, a.list.frequency))
    .slice(0, MOST_TERMS)
  const unknown = found.filter(({ list }) => list.frequency === 0)
  const meant = mends ? await meantBy(reach, unknown.slice(0, MOST_UNKNOWN)) : []
  const words = [...known, ...meant.flatMap(({ likes }) => likes)]
  if (words.length === 0) return NOTHING

  const whole = await complete(
    reach,
    words.map(({ term }) => term),
    words.map(({ list }) => list),
  )
  const sought: Sought[] = words.map(({ term, weight }, i) => {
    const list = whole[i] as TermList
    return { term, list, worth: worthOf(weight, list.frequency) }
  })
  let place = known.length
  const wanted: Wanted[] = [
    ...known.map((_, i) => [{ place: i, worth: (sought[i] as Sought).worth }]),
    ...meant.map(({ likes }) => likes.map(() => ({ place, worth: (sought[place++] as Sought).worth }))),
  ]
  const unmatched = unknown
    .slice(0, MOST_TERMS)
    .filter(({ term }) => !meant.some((word) => word.asked === term))
  const asks = sumOf(wanted.map(bestWorth)) + sumOf(unmatched.map(({ weight }) => worthOf(weight, 0)))
  const candidates = gather(sought, wanted)
  const events = await rank(reach, sought, wanted, candidates, limit)
  return {
    events: events.map((event) => ({ ...event, covered: asks > 0 ? event.covered / asks : 0 })),
    matching: candidates.size,
    isWhole: sought.every(({ list }) => list.isWhole),
    terms: sought.map(({ term }) => term),
    corrected: Object.fromEntries(
      meant.flatMap(({ typed, likes }) => (likes[0] ? [[typed, likes[0].word]] : [])),
    ),
  }
}

type Like = { term: string; word: string; weight: number; list: TermList }
type Meant = { asked: string; typed: string; likes: Like[] }

async function meantBy(reach: Reach, unknown: readonly AskedTerm[]): Promise<Meant[]> {
  const meant: Meant[] = []
  for (const { term, typed, weight } of unknown) {
    const words: MeantWord[] = await wordsMeantBy(reach, typed)
    const lists = await probe(
      reach,
      words.map((word) => word.term),
    )
    const likes = words
      .map(({ term, word, likeness }, i) => ({
        term,
        word,
        weight: weight * likeness,
        list: lists[i] as TermList,
      }))
      .filter(({ list }) => list.frequency > 0)
    if (likes.length > 0) meant.push({ asked: term, typed, likes })
  }
  return meant
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0)
const bestWorth = (alternatives: Wanted) => Math.max(...alternatives.map(({ worth }) => worth))

/** What every event has of what is wanted. Lists that were cut choose no candidates: their newest events would be favoured. */
function gather(sought: readonly Sought[], wanted: readonly Wanted[]): Map<number, number> {
  const sums = new Map<number, number>()
  const shortest = Math.min(...sought.map(({ list }) => list.frequency))
  const chooses = ({ list }: Sought) => list.isWhole || list.frequency === shortest
  for (const alternatives of wanted) {
    const best = new Map<number, number>()
    for (const { place, worth } of alternatives) {
      const term = sought[place] as Sought
      if (!chooses(term)) continue
      for (const eventNo of term.list.eventNos) {
        if (alternatives.length === 1) sums.set(eventNo, (sums.get(eventNo) ?? 0) + worth)
        else best.set(eventNo, Math.max(best.get(eventNo) ?? 0, worth))
      }
    }
    for (const [eventNo, worth] of best) sums.set(eventNo, (sums.get(eventNo) ?? 0) + worth)
  }
  return sums
}

type Likely = { eventNo: number; score: number }

/** The better answer first; the newer of two equals first. */
const bestFirst = (a: Likely, b: Likely) => b.score - a.score || b.eventNo - a.eventNo

/** The `most` best; sorting numbers alone first takes a fifth of sorting all events. */
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

/** In three steps, each looking closer at fewer events: what they have, how long they are, how often they have it. */
async function rank(
  reach: Reach,
  sought: readonly Sought[],
  wanted: readonly Wanted[],
  candidates: ReadonlyMap<number, number>,
  limit: number,
): Promise<RankedEvent[]> {
  const { db, engine, ranges } = reach
  const userId = ranges[0]?.userId ?? ''
  const averageLength = await averageLengthIn(reach)
  const pool = bestOf(candidates, Math.max(MEASURED, limit))
  const lengths = await lengthsOf(
    db,
    engine,
    userId,
    pool.map(({ eventNo }) => eventNo),
  )
  const likely = pool
    .filter(({ eventNo }) => lengths.has(eventNo))
    .map(({ eventNo, score }) => ({
      eventNo,
      score: likelyScore(score, lengths.get(eventNo) as number, averageLength),
    }))
    .sort(bestFirst)
  const close = likely.slice(0, Math.max(COUNTED, limit)).map(({ eventNo }) => eventNo)
  const ranked: RankedEvent[] = []
  for (const range of ranges) {
    const numbers = close.filter((eventNo) => eventNo >= range.from && eventNo <= range.to)
    const terms = sought.map(({ term }) => term)
    for (const [eventNo, words] of await occurrencesIn(db, engine, range, numbers, terms))
      ranked.push({
        eventNo,
        score: scoreOf(words, wanted, averageLength),
        covered: coveredBy(words, wanted),
      })
  }
  return ranked.filter(({ score }) => score > 0).sort(bestFirst)
}

const isIn =
  ({ counts }: Occurrences) =>
  ({ place }: Alternative) =>
    (counts[place] as number) > 0

function coveredBy(words: Occurrences, wanted: readonly Wanted[]): number {
  return sumOf(
    wanted.map((alternatives) => Math.max(0, ...alternatives.filter(isIn(words)).map(({ worth }) => worth))),
  )
}

/** So many events tell how long those of a project are. */
const SAMPLED = 64
const LIKELY_LENGTH = 60

/** By some events from all over the ranges. */
async function averageLengthIn({ db, engine, ranges }: Reach): Promise<number> {
  const numbers = ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  const step = Math.max(1, Math.floor(numbers / SAMPLED))
  const sampled = ranges.flatMap(({ from, to }) =>
    Array.from({ length: Math.ceil((to - from + 1) / step) }, (_, i) => from + i * step),
  )
  const lengths = await lengthsOf(db, engine, ranges[0]?.userId ?? '', sampled)
  return lengths.size > 0 ? sumOf([...lengths.values()]) / lengths.size : LIKELY_LENGTH
}
