import type { UserCtx } from '../../core/context.ts'
import { sha256 } from '../../core/secrets.ts'
import { book, hasEarned } from '../credits/ledger.ts'
import { PUBLISH_REWARD } from '../credits/policy.ts'
import { comparedText } from './related.ts'
import type { CardRow } from './select.ts'
import { wordsOf } from './words.ts'

/** What a card says, whatever its case, spacing and punctuation. */
const fingerprintOf = (row: CardRow): string => sha256(wordsOf(comparedText(row)).join(' '))

/**
 * A card earns once in its life, however often and wherever it is published; and what it says earns its owner once, so
 * that taking it back and recording it anew as another card pays nothing. Returns the credits earned.
 */
export async function rewardPublishing(ctx: UserCtx, row: CardRow): Promise<number> {
  const earned = { userId: row.owner_id, reason: 'publish_reward', refId: row.card_id } as const
  if (await hasEarned(ctx, earned)) return 0
  const { booked } = await book(ctx, {
    userId: row.owner_id,
    delta: PUBLISH_REWARD,
    reason: 'publish_reward',
    cause: `publish:${fingerprintOf(row)}`,
    ref: { type: 'card', id: row.card_id },
  })
  return booked ? PUBLISH_REWARD : 0
}
