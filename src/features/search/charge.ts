import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { balanceOf, book } from '../credits/ledger.ts'
import { PUBLIC_SEARCH_COST } from '../credits/policy.ts'
import { type Picks, pickHits, type Wish } from './hits.ts'
import type { Retrieved } from './retrieve.ts'
import type { SearchScope } from './scope.ts'

export type Outcome = Picks & { charged: number; balance: number }

export type Charge = {
  /** The cause in the ledger, booked once. */
  ref: { type: 'search' | 'recall'; id: string }
  /** Called in the transaction that charges. If it returns false, nothing is shown and nothing is charged. */
  isAllowed?: (ctx: UserCtx, picks: Picks) => Promise<boolean>
}

/**
 * Results and their price come together or not at all: the hits are read again in the transaction that charges for
 * them, so nobody pays for a card that has just vanished or sees one without paying.
 */
export function chargedSearch(
  ctx: UserCtx,
  scope: SearchScope,
  found: Retrieved,
  wish: Wish,
  { ref, isAllowed }: Charge,
): Promise<Outcome> {
  const userId = ctx.viewer.userId
  return inTx(
    ctx,
    async (ctx) => {
      const picks = await pickHits(ctx, scope, found, wish)
      const isFree = picks.picked.every(({ row }) => row.owner_id === userId)
      if (isFree) return { ...picks, charged: 0, balance: await balanceOf(ctx, userId) }
      if (isAllowed && !(await isAllowed(ctx, picks)))
        return { picked: [], total: 0, charged: 0, balance: await balanceOf(ctx, userId) }
      const { balance } = await book(ctx, {
        userId,
        delta: -PUBLIC_SEARCH_COST,
        reason: 'public_search',
        cause: `${ref.type}:${ref.id}`,
        ref,
      })
      return { ...picks, charged: PUBLIC_SEARCH_COST, balance }
    },
    // The charge is one conditional update of one row: waiting for that row is cheaper than a retry. A limit reads
    // entries first, so it stays serialisable.
    isAllowed ? undefined : SELF_GUARDED,
  )
}
