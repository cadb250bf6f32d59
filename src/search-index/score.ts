import { type Bm25, dampingOf, gainOf } from '../text/query.ts'
import { type Candidate, FREQUENCIES, positionOf } from './packing.ts'

const CARDS: Bm25 = { k1: 1.2, b: 0.7 }

type Option = {
  hash: number
  postings: number
  worth: number
  /** Parts count where the whole name or all of them occur. A part without weight only has to be present. */
  parts?: readonly Option[]
}

export type Wanted = readonly Option[]

const HIGHEST_IMPACT = 255

/** Returns the weight of an occurrence in a document of this length as a byte, without the term's rarity. */
export function impactOf(level: number, length: number, averageLength: number): number {
  const frequency = FREQUENCIES[level] as number
  const share = frequency / (frequency + dampingOf(CARDS, length, averageLength))
  return Math.max(1, Math.round(share * HIGHEST_IMPACT))
}

type Gains = { bm25: number; density: number }

const has = ({ hashes }: Candidate, { hash }: Option) => positionOf(hashes, hash) >= 0

const hasAllParts = (candidate: Candidate, parts: readonly Option[]): boolean => {
  for (const part of parts) if (!has(candidate, part)) return false
  return parts.length > 0
}

export const matches = (candidate: Candidate, option: Option): boolean =>
  has(candidate, option) || (option.parts !== undefined && hasAllParts(candidate, option.parts))

function addGains(sum: Gains, candidate: Candidate, { hash, worth }: Option, damping: number): void {
  if (worth === 0) return
  const at = positionOf(candidate.hashes, hash)
  if (at < 0) return
  const frequency = FREQUENCIES[candidate.levels[at] as number] as number
  sum.bm25 += worth * gainOf(CARDS, frequency, damping)
  sum.density += worth * worth * (1 + Math.max(0, Math.log(frequency)))
}

function addBest(sum: Gains, candidate: Candidate, wanted: Wanted, damping: number): void {
  const [only] = wanted
  if (only && wanted.length === 1 && !only.parts) {
    addGains(sum, candidate, only, damping)
    return
  }
  const best: Gains = { bm25: 0, density: 0 }
  for (const option of wanted) {
    const gains: Gains = { bm25: 0, density: 0 }
    addGains(gains, candidate, option, damping)
    if (option.parts && matches(candidate, option))
      for (const part of option.parts) addGains(gains, candidate, part, damping)
    if (gains.bm25 > best.bm25) {
      best.bm25 = gains.bm25
      best.density = gains.density
    }
  }
  sum.bm25 += best.bm25
  sum.density += best.density
}

/** Returns BM25 over the whole query, and how densely the document covers it. */
function gains(candidate: Candidate, wanted: readonly Wanted[], averageLength: number): Gains {
  const damping = dampingOf(CARDS, candidate.length, averageLength)
  const sum: Gains = { bm25: 0, density: 0 }
  for (const one of wanted) addBest(sum, candidate, one, damping)
  return { bm25: sum.bm25, density: sum.density / Math.sqrt(Math.max(1, candidate.length)) }
}

/** Share of the density in the score, by words in the query. Fitted; see bench/README.md. */
const DENSITY = { share: 0.3, least: 0.1, words: 32 }

export type Scored = { candidate: Candidate; points: number; bm25: number }

/** Returns the matching candidates, best first; ties go to the newer document. */
export function ranked(
  candidates: readonly Candidate[],
  wanted: readonly Wanted[],
  averageLength: number,
): Scored[] {
  const scored: (Scored & Gains)[] = []
  const most: Gains = { bm25: 0, density: 0 }
  for (const candidate of candidates) {
    const { bm25, density } = gains(candidate, wanted, averageLength)
    if (bm25 <= 0) continue
    scored.push({ candidate, points: 0, bm25, density })
    most.bm25 = Math.max(most.bm25, bm25)
    most.density = Math.max(most.density, density)
  }
  const share = Math.max(DENSITY.least, DENSITY.share * Math.min(1, wanted.length / DENSITY.words))
  for (const one of scored)
    one.points = ((1 - share) * one.bm25) / most.bm25 + (share * one.density) / most.density
  return scored.sort((a, b) => b.points - a.points || b.candidate.docNo - a.candidate.docNo)
}

/** Constant of reciprocal rank fusion, which combines rankings whatever their scores. */
const RANK_OFFSET = 60

type Ranking = { ids: readonly number[]; weight: number }

/** Returns the numbers of all rankings, best first. */
export function fuse(rankings: readonly Ranking[]): readonly number[] {
  const [only] = rankings
  if (only && rankings.length === 1) return only.ids
  const scores = new Map<number, number>()
  for (const { ids, weight } of rankings)
    ids.forEach((id, i) => {
      scores.set(id, (scores.get(id) ?? 0) + weight / (RANK_OFFSET + 1 + i))
    })
  return [...scores].sort(([a, ofA], [b, ofB]) => ofB - ofA || b - a).map(([docNo]) => docNo)
}
