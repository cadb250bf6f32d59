import type { StoredTrust } from '../trust/stored-trust.ts'
import { isDistrusted } from '../trust/stored-trust.ts'

export type Ranked = { confidence: number; trust: StoredTrust | null }

/** What is expected of a card that nobody has judged. */
const UNJUDGED = 0.75
/** Hits this close in confidence are as good as each other. */
const NEAR = 0.08
/** A card that verdicts speak against gives way to hits that are this much weaker. */
const NEAR_DISTRUSTED = 0.25
/** Less than this is chance. */
const CLEARLY_MORE = 0.05

const worthOf = ({ trust }: Ranked): number => trust?.value ?? UNJUDGED

/** Whether the later of two hits should stand before the earlier one. */
function overtakes(later: Ranked, earlier: Ranked): boolean {
  if (worthOf(later) - worthOf(earlier) < CLEARLY_MORE) return false
  const near = isDistrusted(earlier.trust) ? NEAR_DISTRUSTED : NEAR
  return earlier.confidence - later.confidence <= near
}

/**
 * The order of the ranking, but trust decides among hits that are nearly as good as each other. Nothing passes a hit that is
 * clearly better, and where nobody has judged anything nothing moves.
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
