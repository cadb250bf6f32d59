import type { Ctx } from '../../core/context.ts'
import { gatherJudgements } from './gather.ts'
import { type Reason, reasonsOf, weighAll } from './weigh.ts'

export type Weight = { weight: number; reasons: Reason[] }

/** How much each verdict on a card weighs now, by its id. Votes on reading have no line of their own. */
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
