import { type Ctx, inTx } from '../../core/context.ts'
import { addressHash } from '../../core/crypto.ts'
import { DAY_MS } from '../../shared/time.ts'
import { isEveryAddressProven } from '../mail/index.ts'

export const LEFT_ADDRESS_DAYS = 90
const KEPT_MS = LEFT_ADDRESS_DAYS * DAY_MS

type Account = { user_id: string; email_normal: string | null; email_verified: number }

const keptSince = (ctx: Ctx): string => new Date(ctx.now().getTime() - KEPT_MS).toISOString()

/** Records only proven addresses: a stranger must not stop the owner of an address from earning. */
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

async function isLeftAddress(ctx: Ctx, userId: string): Promise<boolean> {
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

export async function dropOldLeftAddresses(ctx: Ctx): Promise<void> {
  await inTx(ctx, (ctx) =>
    ctx.db.deleteFrom('left_addresses').where('left_at', '<=', keptSince(ctx)).execute(),
  )
}

export async function isProven(ctx: Ctx, userId: string): Promise<boolean> {
  if (isEveryAddressProven(ctx)) return true
  const user = await ctx.db
    .selectFrom('users')
    .select('email_verified')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return user?.email_verified === 1
}

/** Requires a proven, fresh address, so that mass-made accounts cannot earn for one another. */
export const mayEarn = async (ctx: Ctx, userId: string): Promise<boolean> =>
  (await isProven(ctx, userId)) && !(await isLeftAddress(ctx, userId))
