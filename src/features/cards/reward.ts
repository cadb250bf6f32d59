import type { UserCtx } from '../../core/context.ts'
import { dayBegan } from '../../core/day.ts'
import { sha256 } from '../../core/secrets.ts'
import { mayEarn } from '../credits/earning.ts'
import { book, hasEarned, timesBooked } from '../credits/ledger.ts'
import { PUBLISH_REWARD } from '../credits/policy.ts'
import { SIMILAR } from './duplicate.ts'
import { comparedText } from './related.ts'
import { MAX_PUBLISH_REWARDS_PER_DAY } from './reward-limit.ts'
import type { CardRow } from './select.ts'
import { decodeSketch, encodeSketch, sketchOf, sketchOverlap, type TextSketch } from './text-sketch.ts'
import { wordsOf } from './words.ts'

/** A hash of what a card says, without regard to case, spacing and punctuation. */
const fingerprintOf = (row: CardRow): string => sha256(wordsOf(comparedText(row)).join(' '))

/** Whether the owner was rewarded for nearly the same text before, even if that card is deleted. */
async function isNearCopy(ctx: UserCtx, ownerId: string, sketch: TextSketch): Promise<boolean> {
  const rewarded = await ctx.db
    .selectFrom('rewarded_texts')
    .select('sketch')
    .where('user_id', '=', ownerId)
    .execute()
  return rewarded.some((row) => sketchOverlap(sketch, decodeSketch(row.sketch)) >= SIMILAR)
}

/**
 * A card earns once in its life, however often and wherever it is published; and what it says earns its owner once, so
 * that near copies, and taking it back and recording it again, pay nothing. Publications wait for each other
 * (publish.store.ts), so the limit of a day holds for those of the same moment. Returns the credits earned.
 */
export async function rewardPublishing(ctx: UserCtx, row: CardRow): Promise<number> {
  const userId = row.owner_id
  if (await hasEarned(ctx, { userId, reason: 'publish_reward', refId: row.card_id })) return 0
  if (!(await mayEarn(ctx, userId))) return 0
  const since = dayBegan(ctx.now())
  const today = await timesBooked(ctx, { userId, reason: 'publish_reward', since })
  if (today >= MAX_PUBLISH_REWARDS_PER_DAY) return 0
  const sketch = sketchOf(comparedText(row))
  if (await isNearCopy(ctx, userId, sketch)) return 0
  const { booked } = await book(ctx, {
    userId,
    delta: PUBLISH_REWARD,
    reason: 'publish_reward',
    cause: `publish:${fingerprintOf(row)}`,
    ref: { type: 'card', id: row.card_id },
  })
  if (!booked) return 0
  await ctx.db
    .insertInto('rewarded_texts')
    .values({
      user_id: userId,
      card_id: row.card_id,
      sketch: encodeSketch(sketch),
      created_at: ctx.now().toISOString(),
    })
    .execute()
  return PUBLISH_REWARD
}
