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
