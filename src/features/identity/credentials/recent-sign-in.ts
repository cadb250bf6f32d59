import { inTx, type UserCtx } from '../../../core/context.ts'
import { AppError, notAuthenticated } from '../../../core/errors.ts'
import type { UsersTable } from '../../../db/tables/accounts.ts'
import { forgetFailures, holdGuessers, recordFailure } from '../users/guessing.ts'
import { passwordMatches } from '../users/passwords.ts'

const RECENT_MINUTES = 10

const signInAgain = () =>
  new AppError(
    403,
    'recent_sign_in_required',
    `Send your current password, or sign in again and repeat this within ${RECENT_MINUTES} minutes.`,
  )

async function hasJustSignedIn(ctx: UserCtx): Promise<boolean> {
  const { kind, id } = ctx.viewer.credential
  if (kind !== 'session') return false
  const since = new Date(ctx.now().getTime() - RECENT_MINUTES * 60_000).toISOString()
  const session = await ctx.db
    .selectFrom('sessions')
    .select('session_id')
    .where('session_id', '=', id)
    .where('created_at', '>=', since)
    .executeTakeFirst()
  return session !== undefined
}

/** For actions that could hand over the account: a stolen key or an old session is not enough. */
export async function requireRecentProof(
  ctx: UserCtx,
  user: UsersTable,
  password: string | undefined,
): Promise<void> {
  if (password === undefined) {
    if (!(await hasJustSignedIn(ctx))) throw signInAgain()
    return
  }
  const address = user.email_normal ?? ''
  await holdGuessers(ctx, address)
  if (!(await passwordMatches(ctx, user.password_hash, password))) {
    await recordFailure(ctx, address)
    throw notAuthenticated('The current password is not right.', 'invalid_credentials')
  }
  await inTx(ctx, (ctx) => forgetFailures(ctx, address))
}
