import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, type Viewer } from '../../core/context.ts'
import { randomToken, sha256 } from '../../core/crypto.ts'
import { notFound } from '../../core/errors.ts'
import { SESSION_PREFIX } from '../../core/http.ts'
import { AnswerId, Id, Time } from '../../core/schemas.ts'
import { newId } from '../../db/ids.ts'
import type { UsersTable } from '../../db/schema.ts'
import { DAY_MS } from '../../shared/time.ts'
import { audit } from '../audit/index.ts'
import { cancelMails } from '../mail/index.ts'
import { disconnectAllApps } from './oauth-grants.ts'
import {
  deleteEndedLinks,
  deleteEndedSessions,
  deleteKeysOf,
  deleteOwnSession,
  deleteSession,
  deleteSessionOfToken,
  deleteSessionsOf,
  dropEmailChange,
  insertSession,
  listSessionsOf,
  presentUser,
  UserResponse,
} from './users.ts'

export const TokenResponse = z
  .object({
    access_token: z.string().describe('Empty where the browser got it as a cookie instead.'),
    token_type: z.literal('bearer'),
    expires_in: z.int().describe('Seconds; each use extends the session again.'),
    user: UserResponse,
  })
  .meta({ id: 'TokenResponse' })

export const sessionEnd = (ctx: Pick<Ctx, 'now' | 'config'>): string =>
  new Date(ctx.now().getTime() + ctx.config.sessionTtlDays * DAY_MS).toISOString()

/** Opens a session in the caller's transaction. The token is returned once and stored as a hash. */
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

/** Nobody could sign out the replaced session, because no window has its token any more. */
export const endReplacedSession = (ctx: Ctx, token: string): Promise<void> =>
  inTx(ctx, ({ db }) => deleteSessionOfToken(db, sha256(token)))

const SessionResponse = z
  .object({
    session_id: AnswerId,
    created_at: Time.describe('When somebody signed in.'),
    last_seen_at: Time.describe('Moves at most once an hour.'),
    expires_at: Time,
    current: z.boolean().describe('The session of this call.'),
  })
  .meta({ id: 'SessionResponse' })

export const listSessions = capability({
  name: 'sessions.list',
  summary: 'Where the account is signed in, newest first',
  scopes: ['account'],
  rest: ['GET /api/v1/auth/sessions'],
  input: z.object({}),
  output: z.array(SessionResponse),
  run: async (ctx) => {
    const rows = await listSessionsOf(ctx.db, ctx.viewer.userId, ctx.now().toISOString())
    return rows.map((row) => ({ ...row, current: row.session_id === ctx.viewer.credential.id }))
  },
})

export const endSession = capability({
  name: 'sessions.end',
  summary: 'End one session of the account; it stops working at once',
  scopes: ['account'],
  rest: ['DELETE /api/v1/auth/sessions/{session_id}'],
  status: 204,
  errors: [404],
  input: z.object({ session_id: Id }),
  output: z.void(),
  run: (ctx, { session_id }) =>
    inTx(ctx, async (ctx) => {
      if (!(await deleteOwnSession(ctx.db, ctx.viewer.userId, session_id))) throw notFound('Session')
      await audit(ctx, { action: 'session.ended', subject: { type: 'session', id: session_id } })
    }),
})

type Ending = {
  /** Ends API keys and connected apps too. */
  keysAndApps: boolean
  except?: Viewer['credential']
}

export async function endAccess(
  ctx: Ctx,
  userId: string,
  { keysAndApps, except }: Ending = { keysAndApps: true },
): Promise<void> {
  await deleteSessionsOf(ctx.db, userId, except?.id)
  // A change of address that somebody else has begun must not be confirmed afterwards.
  await dropEmailChange(ctx.db, userId)
  await cancelMails(ctx, `change_email:${userId}`)
  if (!keysAndApps) return
  await deleteKeysOf(ctx.db, userId, except?.id)
  await disconnectAllApps(ctx, userId)
}

export const signOutEverywhere = capability({
  name: 'account.sign_out_everywhere',
  summary: 'End every session of the account, this one too, and its API keys and connected apps',
  description:
    'For a lost device, or if you suspect misuse. With keys_and_apps false, API keys and connected apps keep working.',
  scopes: ['account'],
  rest: ['POST /api/v1/auth/logout-everywhere'],
  status: 204,
  session: 'end',
  input: z
    .object({ keys_and_apps: z.boolean().default(true).describe('End API keys and connected apps too.') })
    .meta({ id: 'SignOutEverywhere' }),
  output: z.void(),
  run: (ctx, { keys_and_apps }) =>
    inTx(ctx, async (ctx) => {
      await endAccess(ctx, ctx.viewer.userId, { keysAndApps: keys_and_apps })
      await audit(ctx, {
        action: 'account.signed_out_everywhere',
        subject: { type: 'user', id: ctx.viewer.userId },
        details: { keys_and_apps },
      })
    }),
})

/** Uses two statements, since a cluster stores sessions on other nodes. */
export async function dropEndedAccess(ctx: Ctx): Promise<void> {
  const now = ctx.now().toISOString()
  await inTx(ctx, (ctx) => deleteEndedSessions(ctx.db, now))
  await inTx(ctx, (ctx) => deleteEndedLinks(ctx.db, now))
}
