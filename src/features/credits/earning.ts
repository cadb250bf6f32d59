import type { Ctx } from '../../core/context.ts'

/**
 * Whether an account may earn rewards and bonuses: only with a proven address. If the server sends no mail, nobody
 * can prove an address, so everybody may. Otherwise accounts made by the hundred could earn for one another.
 */
export async function mayEarn(ctx: Ctx, userId: string): Promise<boolean> {
  if (ctx.config.mail.smtpUrl === undefined) return true
  const user = await ctx.db
    .selectFrom('users')
    .select('email_verified')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return user?.email_verified === 1
}
