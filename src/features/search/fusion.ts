/** Reciprocal rank fusion: what several rankings put high comes first, however their scores compare. */
const rankOffset = 60

export type Ranking = { ids: readonly number[]; weight: number }

/** Every id of any ranking with its fused score, best first; 1 is the first place in all of them. */
export function fuse(rankings: readonly Ranking[]): { id: number; score: number }[] {
  const scores = new Map<number, number>()
  const best = rankings.reduce((sum, { weight }) => sum + weight, 0) / (rankOffset + 1)
  for (const { ids, weight } of rankings)
    ids.forEach((id, i) => {
      scores.set(id, (scores.get(id) ?? 0) + weight / (rankOffset + 1 + i) / best)
    })
  return [...scores].map(([id, score]) => ({ id, score })).sort((a, b) => b.score - a.score || b.id - a.id)
}
