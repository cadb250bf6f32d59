import type { Ctx } from '../../../core/context.ts'

/**
 * Whether the account's address is proven. Where no mail can be sent nobody can prove one, so everybody passes. Credits that
 * one account could earn by the hundred need it.
 */
export async function hasProvenAddress(ctx: Ctx, userId: string): Promise<boolean> {
  if (ctx.config.mail.smtpUrl === undefined) return true
  const user = await ctx.db
    .selectFrom('users')
    .select('email_verified')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return user?.email_verified === 1
}
