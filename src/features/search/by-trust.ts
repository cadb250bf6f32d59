import type { StoredTrust } from '../trust/stored-trust.ts'
import { isDistrusted } from '../trust/stored-trust.ts'

export type Ranked = { confidence: number; trust: StoredTrust | null }

/** The assumed trust of a card without verdicts. */
const UNJUDGED = 0.75
/** Hits this close in confidence count as equally good. */
const NEAR = 0.08
/** A distrusted card moves behind hits that are up to this much weaker. */
const NEAR_DISTRUSTED = 0.25
/** A smaller difference in trust does not count. */
const CLEARLY_MORE = 0.05

const worthOf = ({ trust }: Ranked): number => trust?.value ?? UNJUDGED

/** Whether the later of two hits should come before the earlier one. */
function overtakes(later: Ranked, earlier: Ranked): boolean {
  if (worthOf(later) - worthOf(earlier) < CLEARLY_MORE) return false
  const near = isDistrusted(earlier.trust) ? NEAR_DISTRUSTED : NEAR
  return earlier.confidence - later.confidence <= near
}

/**
 * The order of the ranking, but trust decides among hits of nearly the same confidence. No hit passes one that is
 * clearly better, and without any verdicts nothing moves.
 */
export function byTrust<T extends Ranked>(ranked: readonly T[]): T[] {
  const ordered: T[] = []
  for (const hit of ranked) {
    let at = ordered.length
    while (at > 0 && overtakes(hit, ordered[at - 1] as T)) at--
    ordered.splice(at, 0, hit)
  }
  return ordered
}
