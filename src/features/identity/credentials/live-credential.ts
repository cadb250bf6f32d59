import type { UserCtx } from '../../../core/context.ts'
import { notAuthenticated } from '../../../core/errors.ts'
import { findCredential } from '../users/users.store.ts'

/**
 * Call it in the transaction that makes a new credential, or something else that ends with the account: a request that
 * began before all access was ended must not leave it behind.
 */
export async function requireLiveCredential(ctx: UserCtx): Promise<void> {
  if (!(await findCredential(ctx.db, ctx.viewer.credential)))
    throw notAuthenticated('This credential has ended meanwhile. Sign in again.', 'invalid_token')
}
