import { type Bm25, dampingOf, gainOf, rarity } from '../../text/bm25.ts'
import type { WordHit } from './events.search.ts'

const EVENTS: Bm25 = { k1: 1.2, b: 0.75 }

export type TermHits = {
  /** The code of the term in the words of a hit. */
  code: string
  hits: readonly WordHit[]
  /** How many events of the project hold the term, or an estimate. */
  frequency: number
}

/**
 * How often a term occurs in the project: known if all its events came back, else judged by how far back the
 * newest of them reach. Numbers within a partition are nearly consecutive, so no count is read.
 */
export function estimateFrequency(eventNos: readonly number[], limit: number, events: number): number {
  const newest = eventNos[0]
  const oldest = eventNos.at(-1)
  if (newest === undefined || oldest === undefined || eventNos.length < limit) return eventNos.length
  const share = Math.min(1, eventNos.length / (newest - oldest + 1))
  return Math.max(eventNos.length, Math.round(share * events))
}

export type Ranked = { eventNo: number; score: number }

/** The better answer first; the newer of two equals first. */
export const bestFirst = (a: Ranked, b: Ranked) => b.score - a.score || b.eventNo - a.eventNo

/** The events whose words answer the query best, best first. */
export function rankByWords(terms: readonly TermHits[], events: number, limit: number): Ranked[] {
  const candidates = new Map<number, readonly string[]>()
  for (const { hits } of terms) for (const hit of hits) candidates.set(hit.eventNo, hit.words)
  if (candidates.size === 0) return []
  const lengths = [...candidates.values()].map((words) => words.length)
  const averageLength = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
  const weightOf = new Map<string, number>()
  for (const { code, frequency } of terms) {
    weightOf.set(code, rarity(frequency, events))
  }
  const scored = [...candidates].map(([eventNo, words]) => ({
    eventNo,
    score: scoreOf(words, weightOf, averageLength),
  }))
  return scored.sort(bestFirst).slice(0, limit)
}

function scoreOf(
  words: readonly string[],
  weightOf: ReadonlyMap<string, number>,
  averageLength: number,
): number {
  const counts = new Map<string, number>()
  for (const word of words) if (weightOf.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const damping = dampingOf(EVENTS, words.length, averageLength)
  let score = 0
  for (const [word, count] of counts) {
    score += (weightOf.get(word) as number) * gainOf(EVENTS, count, damping)
  }
  return score
}
