import { type Ctx, inTx } from '../../core/context.ts'
import { DAY_MS } from '../../core/day.ts'
import { addressHash } from '../../core/secrets.ts'

export const LEFT_ADDRESS_DAYS = 90
const KEPT_MS = LEFT_ADDRESS_DAYS * DAY_MS

type Account = { user_id: string; email_normal: string | null; email_verified: number }

const keptSince = (ctx: Ctx): string => new Date(ctx.now().getTime() - KEPT_MS).toISOString()

/**
 * Remembers that an account has left its address, by deletion or by a change. Only a proven one: a stranger who registers
 * somebody's address and deletes that account must not keep its owner from earning.
 */
export async function keepLeftAddress(ctx: Ctx, account: Account): Promise<void> {
  if (account.email_normal === null || account.email_verified === 0) return
  const left_at = ctx.now().toISOString()
  await ctx.db
    .insertInto('left_addresses')
    .values({
      address_hash: addressHash(ctx, 'left', account.email_normal),
      user_id: account.user_id,
      left_at,
    })
    .onConflict((conflict) => conflict.columns(['address_hash', 'user_id']).doUpdateSet({ left_at }))
    .execute()
}

/** Whether another account has left the address of this one lately. */
export async function isLeftAddress(ctx: Ctx, userId: string): Promise<boolean> {
  const user = await ctx.db
    .selectFrom('users')
    .select('email_normal')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!user?.email_normal) return false
  const left = await ctx.db
    .selectFrom('left_addresses')
    .select('left_at')
    .where('address_hash', '=', addressHash(ctx, 'left', user.email_normal))
    .where('user_id', '!=', userId)
    .where('left_at', '>', keptSince(ctx))
    .limit(1)
    .executeTakeFirst()
  return left !== undefined
}

/** Housekeeping: addresses that were left long ago. */
export async function dropOldLeftAddresses(ctx: Ctx): Promise<void> {
  await inTx(ctx, (ctx) =>
    ctx.db.deleteFrom('left_addresses').where('left_at', '<=', keptSince(ctx)).execute(),
  )
}
