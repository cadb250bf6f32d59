import type { UserCtx } from '../../../core/context.ts'
import { notAuthenticated } from '../../../core/errors.ts'
import { findCredential } from '../users/users.store.ts'

/**
 * For what makes a new credential, inside its transaction: a request that began before all access was ended must not
 * leave a key behind that outlives it.
 */
export async function requireLiveCredential(ctx: UserCtx): Promise<void> {
  if (!(await findCredential(ctx.db, ctx.viewer.credential)))
    throw notAuthenticated('This credential has been ended meanwhile. Sign in again.', 'invalid_token')
}
