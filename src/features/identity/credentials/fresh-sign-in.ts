import type { UserCtx } from '../../../core/context.ts'
import { AppError, notAuthenticated } from '../../../core/errors.ts'
import type { UsersTable } from '../../../db/tables/accounts.ts'
import { holdGuessers, recordFailure } from '../users/guessing.ts'
import { passwordMatches } from '../users/passwords.ts'
import { sessionBegan } from '../users/users.store.ts'

const FRESH_MINUTES = 10

/** The password in a request, with the same brake on guessing as at sign-in. Never inside a transaction. */
export async function requirePassword(ctx: UserCtx, user: UsersTable, password: string): Promise<void> {
  const address = user.email_normal ?? ''
  await holdGuessers(ctx, address)
  if (await passwordMatches(user.password_hash, password)) return
  await recordFailure(ctx, address)
  throw notAuthenticated('The current password is not right.', 'invalid_credentials')
}

/**
 * For what cannot be undone: a session that was forgotten somewhere, or a key that leaked, must not be enough. The
 * person signed in a moment ago, or gives the password now.
 */
export async function requirePerson(
  ctx: UserCtx,
  user: UsersTable,
  password: string | undefined,
): Promise<void> {
  if (password !== undefined) return requirePassword(ctx, user, password)
  const { kind, id } = ctx.viewer.credential
  const began = kind === 'session' ? await sessionBegan(ctx.db, id) : undefined
  if (began !== undefined && ctx.now().getTime() - Date.parse(began) <= FRESH_MINUTES * 60_000) return
  throw new AppError(
    403,
    'fresh_sign_in_needed',
    `This needs a sign-in within the last ${FRESH_MINUTES} minutes. Sign in again${user.password_hash === null ? '' : ', or send your password'}.`,
  )
}
