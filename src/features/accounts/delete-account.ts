import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { conflict } from '../../core/errors.ts'
import type { Db, EngineName } from '../../db/db.ts'
import { audit } from '../audit/index.ts'
import { leaveProvider, willBeCharged } from '../billing/index.ts'
import { forgetComments, forgetPrivateCards } from '../cards/index.ts'
import { keepLeftAddress, LEFT_ADDRESS_DAYS } from '../credits/index.ts'
import {
  disconnectAllApps,
  endAccess,
  requireLiveCredential,
  requireRecentProof,
  requireUser,
} from '../identity/index.ts'
import { cancelMails, cancelMailsTo } from '../mail/index.ts'
import { forgetMemory } from '../memory/index.ts'
import { forgetReportsOf } from '../moderation/index.ts'
import { handBackOffice, withdrawInvitesNaming, withdrawInvitesOf } from '../workspaces/index.ts'
import { anonymiseUser, deleteOwnRows } from './personal-data.ts'

/** Returns the workspaces with other members that would have no admin without this person. */
const workspacesWithoutOtherAdmin = (db: Db, userId: string) =>
  db
    .selectFrom('memberships as mine')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'mine.workspace_id')
    .select(['workspaces.workspace_id', 'workspaces.name'])
    .where('mine.user_id', '=', userId)
    .where('mine.role', '=', 'admin')
    // A role that another person gave returns to that person, so it does not prevent leaving.
    .where('mine.role_given_by', 'is', null)
    .where((eb) => {
      const others = eb
        .selectFrom('memberships as other')
        .select('other.user_id')
        .whereRef('other.workspace_id', '=', 'mine.workspace_id')
        .where('other.user_id', '!=', userId)
      return eb.and([eb.exists(others), eb.not(eb.exists(others.where('other.role', '=', 'admin')))])
    })
    .execute()

/** Locks a user, so that of two deletions of one account the second waits. SQLite has one writer at a time. */
async function lockUser(db: Db, engine: EngineName, userId: string): Promise<void> {
  if (engine === 'postgres')
    await db.selectFrom('users').select('user_id').where('user_id', '=', userId).forUpdate().execute()
}

const deleteMemberships = (db: Db, userId: string) =>
  db.deleteFrom('memberships').where('user_id', '=', userId).returningAll().execute()

const deletedSince = (db: Db, since: string) =>
  db
    .selectFrom('users')
    .select(['user_id', 'deleted_at'])
    .where('deleted_at', '>=', since)
    .$narrowType<{ deleted_at: string }>()
    .execute()

async function withdrawCodes(db: Db, userId: string, now: string): Promise<void> {
  await db
    .updateTable('billing_invites')
    .set({ withdrawn_at: now })
    .where('created_by', '=', userId)
    .where('withdrawn_at', 'is', null)
    .execute()
}

async function refuseWhilePaying(ctx: UserCtx): Promise<void> {
  if (await willBeCharged(ctx, ctx.viewer.userId))
    throw conflict(
      'subscription_active',
      'A subscription is active, or its first payment is not decided yet. Cancel it in the billing portal first, or wait a day for the payment.',
    )
}

async function refuseWhileNeeded(ctx: UserCtx): Promise<void> {
  const needed = await workspacesWithoutOtherAdmin(ctx.db, ctx.viewer.userId)
  if (needed.length > 0)
    throw conflict(
      'last_admin',
      `You are the only admin of ${needed.map((row) => row.name).join(', ')}. Make somebody else admin there first.`,
      { workspace_ids: needed.map((row) => row.workspace_id) },
    )
}

const AccountDeleted = z
  .object({
    deleted: z.literal(true),
    deleted_cards: z.int(),
    deleted_events: z.int(),
    deleted_materials: z.int(),
  })
  .meta({ id: 'AccountDeleted' })

/** Ends all access first: a parallel write would make PostgreSQL retry until it gives up. */
async function endAllAccess(ctx: UserCtx, password: string | undefined): Promise<void> {
  const { userId } = ctx.viewer
  await requireRecentProof(ctx, await requireUser(ctx, userId), password)
  await refuseWhilePaying(ctx)
  await refuseWhileNeeded(ctx)
  const end = async (ctx: UserCtx) => {
    // A request that began before all access was ended must not delete the account.
    await lockUser(ctx.db, ctx.database.engine, userId)
    await requireLiveCredential(ctx)
    await endAccess(ctx, userId)
  }
  await inTx(ctx, end, SELF_GUARDED)
}

async function removePrivate(ctx: Ctx, userId: string, cardsSince?: string) {
  const deleted_cards = await forgetPrivateCards(ctx, userId, cardsSince)
  // Notices and verdicts refer to the person while they hold a notice, and the end of a team while it holds memberships.
  await lockUser(ctx.db, ctx.database.engine, userId)
  const deleted_events = await forgetMemory(ctx, userId)
  await forgetComments(ctx, userId)
  const deleted = await deleteOwnRows(ctx.db, userId)
  await withdrawCodes(ctx.db, userId, ctx.now().toISOString())
  return { deleted_cards, deleted_events, deleted_materials: deleted.get('raw_materials') ?? 0 }
}

/** Longer than any request takes. */
const REQUEST_MS = 300_000
/** The job runs several times within this time, in case it fails once. */
const LOOK_BACK_MS = 3_600_000

const before = (time: Date, ms: number): string => new Date(time.getTime() - ms).toISOString()

/** Cards older than a running request stay, because those that others delete can be restored. */
export async function dropLeftovers(ctx: Ctx, stopping: AbortSignal): Promise<void> {
  for (const { user_id, deleted_at } of await deletedSince(ctx.db, before(ctx.now(), LOOK_BACK_MS))) {
    if (stopping.aborted) return
    await inTx(ctx, (ctx) => removePrivate(ctx, user_id, before(new Date(deleted_at), REQUEST_MS)))
  }
}

const removeAccount = (ctx: UserCtx): Promise<z.input<typeof AccountDeleted>> =>
  inTx(ctx, async (ctx) => {
    const { userId } = ctx.viewer
    const user = await requireUser(ctx, userId)
    await refuseWhilePaying(ctx)
    await refuseWhileNeeded(ctx)
    const removed = await removePrivate(ctx, userId)
    for (const membership of await deleteMemberships(ctx.db, userId)) {
      await withdrawInvitesOf(ctx, membership)
      await handBackOffice(ctx, membership)
    }
    await withdrawInvitesNaming(ctx, userId)
    await disconnectAllApps(ctx, userId)
    await cancelMails(ctx, `change_email:${userId}`)
    await forgetReportsOf(ctx, userId)
    await cancelMailsTo(ctx, user.email ?? '')
    await keepLeftAddress(ctx, user)
    await leaveProvider(ctx, userId)
    await anonymiseUser(ctx.db, userId, ctx.now().toISOString())
    await audit(ctx, { action: 'account.deleted', subject: { type: 'user', id: userId } })
    return { deleted: true as const, ...removed }
  })

export const deleteAccount = capability({
  name: 'account.delete',
  summary: 'Delete your account and everything private in it, for good',
  description: `Take GET /api/v1/auth/me/export first. Private cards, memory, raw materials, keys, sessions, memberships and open invite codes are removed at once; what you published stays, by "deleted user". A hash of a confirmed address is kept for ${LEFT_ADDRESS_DAYS} days: so long a new account with it earns no rewards, and its praise and redeemed codes earn others none. Needs a session that signed in within the last 10 minutes; otherwise send your password to POST /api/v1/auth/me/delete. Refused while a subscription is active or a team would lose its only admin.`,
  scopes: ['account'],
  rest: ['DELETE /api/v1/auth/me'],
  session: 'end',
  errors: [403, 409],
  input: z.object({ confirmed_by_user: z.literal(true) }),
  output: AccountDeleted,
  prepare: (ctx) => endAllAccess(ctx, undefined),
  run: removeAccount,
})

/** The password is sent in the body, because proxies log addresses. */
export const deleteAccountByPassword = capability({
  name: 'account.delete_by_password',
  summary: 'The same, with your password in place of a recent sign-in',
  scopes: ['account'],
  rest: ['POST /api/v1/auth/me/delete'],
  session: 'end',
  idempotency: 'none',
  limit: 'auth',
  errors: [403, 409, 429],
  input: z
    .object({
      confirmed_by_user: z.literal(true),
      password: z.string().max(1000).optional().describe('Left out: as DELETE /api/v1/auth/me.'),
    })
    .meta({ id: 'AccountDeletion' }),
  output: AccountDeleted,
  prepare: (ctx, { password }) => endAllAccess(ctx, password),
  run: removeAccount,
})
