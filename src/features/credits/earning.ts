import type { Ctx } from '../../core/context.ts'
import { isEveryAddressProven } from '../mail/provable.ts'
import { isLeftAddress } from './left-addresses.ts'

/** Whether the address of an account is proven. If the server sends no mail, nobody can prove one, so each counts. */
export async function isProven(ctx: Ctx, userId: string): Promise<boolean> {
  if (isEveryAddressProven(ctx)) return true
  const user = await ctx.db
    .selectFrom('users')
    .select('email_verified')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return user?.email_verified === 1
}

/**
 * Whether an account may earn rewards and bonuses, and be the reason for those of others: only with a proven address that no
 * other account has left lately. Otherwise accounts made by the hundred could earn for one another, and so could one mailbox
 * whose account is deleted and made anew.
 */
export const mayEarn = async (ctx: Ctx, userId: string): Promise<boolean> =>
  (await isProven(ctx, userId)) && !(await isLeftAddress(ctx, userId))
