import { type Bm25, dampingOf, gainOf } from '../text/query.ts'
import { type Candidate, FREQUENCIES, positionOf } from './packing.ts'

/** Fitted on the development collections; see bench/README.md. */
const CARDS: Bm25 = { k1: 1.2, b: 0.7 }

/** A term and what it is worth; of an identifier the whole name with its parts. */
export type Option = {
  hash: number
  postings: number
  worth: number
  /** They count where the whole is, or where all of them are. A part without worth only has to be there. */
  parts?: readonly Option[]
}

/** One thing that is asked for: a term, or the terms that may be meant by it. */
export type Wanted = readonly Option[]

const HIGHEST_IMPACT = 255

/** How much an occurrence weighs in a document of this length, without the term's rarity, in a byte. */
export function impactOf(level: number, length: number, averageLength: number): number {
  const frequency = FREQUENCIES[level] as number
  const share = frequency / (frequency + dampingOf(CARDS, length, averageLength))
  return Math.max(1, Math.round(share * HIGHEST_IMPACT))
}

/** A document's two sums, which `ranked` weighs against each other. */
type Gains = { bm25: number; density: number }

const has = ({ hashes }: Candidate, { hash }: Option) => positionOf(hashes, hash) >= 0

const hasAllParts = (candidate: Candidate, parts: readonly Option[]): boolean => {
  for (const part of parts) if (!has(candidate, part)) return false
  return parts.length > 0
}

/** Whether a document has what an option asks for: the term, or all parts of a name. */
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

/** Of the terms that may be meant by one, the best counts. */
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

/** BM25 over all that is wanted, and how densely the document speaks of it. */
function gains(candidate: Candidate, wanted: readonly Wanted[], averageLength: number): Gains {
  const damping = dampingOf(CARDS, candidate.length, averageLength)
  const sum: Gains = { bm25: 0, density: 0 }
  for (const one of wanted) addBest(sum, candidate, one, damping)
  return { bm25: sum.bm25, density: sum.density / Math.sqrt(Math.max(1, candidate.length)) }
}

/** The share of the second sum in a query of so many words or more; a shorter one has less of it. Fitted; see bench/README.md. */
const DENSITY = { share: 0.3, least: 0.1, words: 32 }

export type Scored = { candidate: Candidate; points: number; bm25: number }

/** The candidates that match at all, best first; ties go to the newer document. */
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

/** Reciprocal rank fusion: what several rankings put high comes first, however their scores compare. */
const RANK_OFFSET = 60

export type Ranking = { ids: readonly number[]; weight: number }

/** Every number of any ranking, best first. One ranking stays as it is. */
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
