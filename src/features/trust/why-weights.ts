import type { Ctx } from '../../core/context.ts'
import { gatherJudgements } from './gather.ts'
import { type Reason, reasonsOf, weighAll } from './weigh.ts'

export type Weight = { weight: number; reasons: Reason[] }

/** The present weight of each verdict on a card, by its id. Votes are left out. */
export async function whyWeights(ctx: Ctx, cardId: string): Promise<Map<string, Weight>> {
  const [judged] = await gatherJudgements(ctx, [cardId])
  const weights = new Map<string, Weight>()
  if (!judged) return weights
  for (const { judgement, weight } of weighAll(judged.judgements, judged.facts))
    if (judgement.verdictId !== null)
      weights.set(judgement.verdictId, {
        weight: Math.round(weight * 100) / 100,
        reasons: reasonsOf(judgement, judged.facts),
      })
  return weights
}
