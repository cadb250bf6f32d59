import type { UserCtx } from '../../core/context.ts'
import { dayBegan } from '../../core/day.ts'
import type { CardRow } from '../cards/access.ts'
import { holdKeyOf } from '../cards/hold-card.ts'
import { mayEarn } from '../credits/earning.ts'
import { book, holdBalances, timesBooked } from '../credits/ledger.ts'
import { rewardsSince } from './feedback.store.ts'

/** What the first `useful`, or the first verdict `worked`, of another person earns the contributor. */
export const USEFUL_REWARD = 1
/** Limits how many credits a second account could create. */
export const MAX_REWARDS_PER_DAY = 20
/** Limits how many credits a hundred accounts could create for one person. */
export const MAX_REWARDS_RECEIVED_PER_DAY = 50

/** Rewards the contributor inside the caller's transaction; false if there is nothing to reward. */
export async function rewardHelp(ctx: UserCtx, card: CardRow): Promise<boolean> {
  if (card.owner_id === ctx.viewer.userId || card.owner_deleted_at !== null) return false
  // Both sides must be proven: hundreds of made-up accounts could praise one card, or one account the cards of hundreds.
  for (const userId of [ctx.viewer.userId, card.owner_id]) if (!(await mayEarn(ctx, userId))) return false
  await holdKeyOf(ctx, card.card_id)
  await holdBalances(ctx, [ctx.viewer.userId, card.owner_id])
  const today = dayBegan(ctx.now())
  if ((await rewardsSince(ctx.db, ctx.viewer.userId, today)) >= MAX_REWARDS_PER_DAY) return false
  const received = { userId: card.owner_id, reason: 'feedback_reward', since: today } as const
  if ((await timesBooked(ctx, received)) >= MAX_REWARDS_RECEIVED_PER_DAY) return false
  const { booked } = await book(ctx, {
    userId: card.owner_id,
    delta: USEFUL_REWARD,
    reason: 'feedback_reward',
    cause: `feedback:${card.card_id}:${ctx.viewer.userId}`,
    ref: { type: 'card', id: card.card_id },
  })
  return booked
}
