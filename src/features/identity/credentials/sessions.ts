import { z } from 'zod'
import { capability } from '../../../core/capability.ts'
import type { Ctx } from '../../../core/context.ts'
import { inTx } from '../../../core/context.ts'
import { randomToken, sha256 } from '../../../core/secrets.ts'
import { newId } from '../../../db/ids.ts'
import type { UsersTable } from '../../../db/tables/accounts.ts'
import { deleteSession, insertSession } from '../users/users.store.ts'
import { presentUser, UserResponse } from '../users/users.ts'

export const SESSION_PREFIX = 'kvs_'
const DAY_MS = 86_400_000

export const TokenResponse = z
  .object({
    access_token: z.string().describe('Empty where the browser got it as a cookie instead.'),
    token_type: z.literal('bearer'),
    expires_in: z.int().describe('Seconds; each use moves the end of the session out again.'),
    user: UserResponse,
  })
  .meta({ id: 'TokenResponse' })

export const sessionEnd = (ctx: Pick<Ctx, 'now' | 'config'>): string =>
  new Date(ctx.now().getTime() + ctx.config.sessionTtlDays * DAY_MS).toISOString()

/** Opens a session inside the caller's transaction; the token is shown here once and kept as a hash. */
export async function startSession(ctx: Ctx, user: UsersTable): Promise<z.input<typeof TokenResponse>> {
  const token = SESSION_PREFIX + randomToken()
  const now = ctx.now().toISOString()
  await insertSession(ctx.db, {
    session_id: newId(),
    token_hash: sha256(token),
    user_id: user.user_id,
    created_at: now,
    last_seen_at: now,
    expires_at: sessionEnd(ctx),
  })
  ctx.mustSee(user.user_id)
  return {
    access_token: token,
    token_type: 'bearer',
    expires_in: ctx.config.sessionTtlDays * 86_400,
    user: await presentUser(ctx, user),
  }
}

export const logout = capability({
  name: 'account.logout',
  summary: 'End the session of the token used for this call',
  scopes: ['account'],
  rest: ['POST /api/v1/auth/logout'],
  status: 204,
  session: 'end',
  input: z.object({}),
  output: z.void(),
  run: (ctx) =>
    inTx(ctx, async (ctx) => {
      if (ctx.viewer.credential.kind === 'session') await deleteSession(ctx.db, ctx.viewer.credential.id)
    }),
})
