import { z } from 'zod'
import { capability } from '../../../core/capability.ts'
import { type Ctx, inTx, type Viewer } from '../../../core/context.ts'
import { audit } from '../../audit/audit.ts'
import { cancelMails } from '../../mail/outbox.ts'
import { disconnectAllApps } from '../oauth/connected-apps.ts'
import { dropEmailChange } from '../users/email-change.store.ts'
import {
  deleteEndedLinks,
  deleteEndedSessions,
  deleteKeysOf,
  deleteSessionsOf,
} from '../users/users.store.ts'

type Ending = {
  /** API keys and connected apps too, and not only sessions. */
  keysAndApps: boolean
  /** The caller's own credential, if it shall keep working. */
  except?: Viewer['credential']
}

/** Ends what opens an account: every session, and with them every API key and connected app. */
export async function endAccess(
  ctx: Ctx,
  userId: string,
  { keysAndApps, except }: Ending = { keysAndApps: true },
): Promise<void> {
  await deleteSessionsOf(ctx.db, userId, except?.id)
  // An address that somebody else has begun to put there must not be confirmed afterwards.
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

/** Housekeeping: sessions and mailed links that have expired. Apart, since sessions lie on other nodes of a cluster. */
export async function dropEndedAccess(ctx: Ctx): Promise<void> {
  const now = ctx.now().toISOString()
  await inTx(ctx, (ctx) => deleteEndedSessions(ctx.db, now))
  await inTx(ctx, (ctx) => deleteEndedLinks(ctx.db, now))
}
