/** A score and its label: 1 if the query's card is in the vault, 0 if the query belongs to another collection. */
export type Judged = { score: number; label: 0 | 1 }

/** How often the score of a query with its card is above that of a query without. */
export function areaUnderCurve(judged: readonly Judged[]): number {
  const sorted = [...judged].sort((a, b) => a.score - b.score)
  let [below, area, at] = [0, 0, 0]
  while (at < sorted.length) {
    const tied = sorted.filter(({ score }) => score === sorted[at]?.score)
    const absent = tied.filter(({ label }) => label === 0).length
    area += (tied.length - absent) * (below + absent / 2)
    below += absent
    at += tied.length
  }
  return area / Math.max(1, below * (judged.length - below))
}

export type Bin = { from: number; count: number; score: number; share: number }
const BINS = 10

/** Scores in ten bins: the mean of each, and the share that is right. Both labels have the same total weight. */
export function binsOf(judged: readonly Judged[]): Bin[] {
  const present = judged.filter(({ label }) => label === 1).length
  const weightOf = { 1: 0.5 / Math.max(1, present), 0: 0.5 / Math.max(1, judged.length - present) }
  return Array.from({ length: BINS }, (_, i) => {
    const within = judged.filter(({ score }) => Math.min(BINS - 1, Math.floor(score * BINS)) === i)
    const count = within.reduce((sum, { label }) => sum + weightOf[label], 0)
    const sumOf = (value: (one: Judged) => number) =>
      within.reduce((sum, one) => sum + weightOf[one.label] * value(one), 0)
    return {
      from: i / BINS,
      count,
      score: count > 0 ? sumOf(({ score }) => score) / count : 0,
      share: count > 0 ? sumOf(({ label }) => label) / count : 0,
    }
  })
}

export const expectedCalibrationError = (judged: readonly Judged[]): number =>
  binsOf(judged).reduce((sum, { count, score, share }) => sum + count * Math.abs(score - share), 0)
