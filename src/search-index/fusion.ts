/** Reciprocal rank fusion: what several rankings put high comes first, however their scores compare. */
const RANK_OFFSET = 60

export type Ranking = { ids: readonly number[]; weight: number }

/** Every number of any ranking with its fused score, best first; 1 means first in all of them. */
export function fuse(rankings: readonly Ranking[]): { docNo: number; score: number }[] {
  const scores = new Map<number, number>()
  const best = rankings.reduce((sum, { weight }) => sum + weight, 0) / (RANK_OFFSET + 1)
  for (const { ids, weight } of rankings)
    ids.forEach((id, i) => {
      scores.set(id, (scores.get(id) ?? 0) + weight / (RANK_OFFSET + 1 + i) / best)
    })
  return [...scores]
    .map(([docNo, score]) => ({ docNo, score }))
    .sort((a, b) => b.score - a.score || b.docNo - a.docNo)
}
