export type Judgements = Map<string, Map<string, number>>

export type QueryScore = { ndcg10: number; recall10: number; mrr10: number; isBlank: boolean }

const DEPTH = 10

/** As trec_eval counts: linear gain, discounted by the logarithm of the rank. */
const discountedGain = (gains: readonly number[]) =>
  gains.reduce((sum, gain, i) => sum + gain / Math.log2(i + 2), 0)

export function scoreQuery(found: readonly string[], relevant: ReadonlyMap<string, number>): QueryScore {
  const top = found.slice(0, DEPTH).map((id) => relevant.get(id) ?? 0)
  const ideal = [...relevant.values()].sort((a, b) => b - a).slice(0, DEPTH)
  const first = top.findIndex((gain) => gain > 0)
  return {
    ndcg10: discountedGain(top) / discountedGain(ideal),
    recall10: top.filter((gain) => gain > 0).length / relevant.size,
    mrr10: first < 0 ? 0 : 1 / (first + 1),
    isBlank: found.length === 0,
  }
}

/** Means over queries, as one line. */
export function mean(scores: readonly QueryScore[]): string {
  const of = (pick: (score: QueryScore) => number) =>
    (scores.reduce((sum, score) => sum + pick(score), 0) / Math.max(1, scores.length)).toFixed(4)
  return `nDCG@10 ${of((s) => s.ndcg10)}  recall@10 ${of((s) => s.recall10)}  MRR@10 ${of((s) => s.mrr10)}  no result ${of((s) => (s.isBlank ? 1 : 0))}`
}
