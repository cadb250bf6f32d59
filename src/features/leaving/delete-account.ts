import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { conflict } from '../../core/errors.ts'
import { toJson } from '../../db/columns.ts'
import { audit } from '../audit/audit.ts'
import { willBeCharged } from '../billing/subscriptions.ts'
import { forgetPrivateCards } from '../cards/forget.ts'
import { requireLiveCredential } from '../identity/credentials/live-credential.ts'
import { requireRecentProof } from '../identity/credentials/recent-sign-in.ts'
import { disconnectAllApps } from '../identity/oauth/connected-apps.ts'
import { DEFAULT_SETTINGS } from '../identity/users/user-settings.ts'
import { requireUser } from '../identity/users/users.ts'
import { cancelMails } from '../mail/outbox.ts'
import { forgetMemory } from '../memory/forget.ts'
import { handBackOffice } from '../workspaces/members.ts'

const DELETED_NAME = 'deleted user'

async function refuseWhilePaying(ctx: UserCtx): Promise<void> {
  if (await willBeCharged(ctx, ctx.viewer.userId))
    throw conflict('subscription_active', 'A subscription is running. Cancel it in the billing portal first.')
}

/** A team must not be left without an admin. */
async function refuseWhileNeeded(ctx: UserCtx): Promise<void> {
  const me = ctx.viewer.userId
  const needed = await ctx.db
    .selectFrom('memberships as mine')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'mine.workspace_id')
    .select(['workspaces.workspace_id', 'workspaces.name'])
    .where('mine.user_id', '=', me)
    .where('mine.role', '=', 'admin')
    // An office that others gave holds nobody.
    .where('mine.role_given_by', 'is', null)
    .where((eb) => {
      const others = eb
        .selectFrom('memberships as other')
        .select('other.user_id')
        .whereRef('other.workspace_id', '=', 'mine.workspace_id')
        .where('other.user_id', '!=', me)
      return eb.and([eb.exists(others), eb.not(eb.exists(others.where('other.role', '=', 'admin')))])
    })
    .execute()
  if (needed.length > 0)
    throw conflict(
      'last_admin',
      `You are the only admin of ${needed.map((row) => row.name).join(', ')}. Make somebody else admin there first.`,
      { workspace_ids: needed.map((row) => row.workspace_id) },
    )
}

async function leaveWorkspaces(ctx: UserCtx): Promise<void> {
  const mine = await ctx.db
    .deleteFrom('memberships')
    .where('user_id', '=', ctx.viewer.userId)
    .returningAll()
    .execute()
  for (const membership of mine) await handBackOffice(ctx, membership)
}

/** The row stays, so that published cards and the ledger keep an author; nothing in it tells who that was. */
async function anonymise(ctx: UserCtx): Promise<void> {
  const now = ctx.now().toISOString()
  await ctx.db
    .updateTable('users')
    .set({
      email: null,
      email_normal: null,
      password_hash: null,
      google_subject: null,
      display_name: DELETED_NAME,
      email_verified: 0,
      onboarding: null,
      plan: 'free',
      settings: toJson(DEFAULT_SETTINGS),
      updated_at: now,
      deleted_at: now,
      service_admin: 0,
    })
    .where('user_id', '=', ctx.viewer.userId)
    .execute()
}

const AccountDeleted = z
  .object({
    deleted: z.literal(true),
    deleted_cards: z.int(),
    deleted_events: z.int(),
    deleted_materials: z.int(),
  })
  .meta({ id: 'AccountDeleted' })

/** Rows of one person that go with the account. */
const OWN_TABLES = [
  'sessions',
  'api_keys',
  'email_tokens',
  'email_changes',
  'notices',
  'rewarded_texts',
  'support_conversations',
] as const

const removeAccount = (ctx: UserCtx): Promise<z.input<typeof AccountDeleted>> =>
  inTx(ctx, async (ctx) => {
    const { userId } = ctx.viewer
    await requireLiveCredential(ctx)
    const user = await requireUser(ctx, userId)
    await refuseWhilePaying(ctx)
    await refuseWhileNeeded(ctx)
    const deleted_cards = await forgetPrivateCards(ctx, userId)
    const deleted_events = await forgetMemory(ctx, userId)
    const materials = await ctx.db
      .deleteFrom('raw_materials')
      .where('owner_id', '=', userId)
      .executeTakeFirst()
    await leaveWorkspaces(ctx)
    await disconnectAllApps(ctx, userId)
    await cancelMails(ctx, `change_email:${userId}`)
    for (const table of OWN_TABLES) await ctx.db.deleteFrom(table).where('user_id', '=', userId).execute()
    await ctx.db
      .updateTable('outbox')
      .set({ status: 'cancelled', text_body: '', html_body: '' })
      .where('to_address', '=', user.email ?? '')
      .where('status', '=', 'pending')
      .execute()
    await anonymise(ctx)
    await audit(ctx, { action: 'account.deleted', subject: { type: 'user', id: userId } })
    return {
      deleted: true as const,
      deleted_cards,
      deleted_events,
      deleted_materials: Number(materials.numDeletedRows),
    }
  })

export const deleteAccount = capability({
  name: 'account.delete',
  summary: 'Delete your account and all that is private to it, for good',
  description:
    'Take GET /api/v1/auth/me/export first. Private cards, memory, raw materials, keys, sessions and memberships are removed at once; what you published stays, by "deleted user". Needs a session that signed in within the last 10 minutes; otherwise send your password to POST /api/v1/auth/me/delete. Refused while a subscription runs or a team would lose its only admin.',
  scopes: ['account'],
  rest: ['DELETE /api/v1/auth/me'],
  session: 'end',
  errors: [403, 409],
  input: z.object({ confirmed_by_user: z.literal(true) }),
  output: AccountDeleted,
  prepare: async (ctx) => requireRecentProof(ctx, await requireUser(ctx, ctx.viewer.userId), undefined),
  run: removeAccount,
})

/** The password goes in a body: an address ends up in the logs of proxies. */
export const deleteAccountByPassword = capability({
  name: 'account.delete_by_password',
  summary: 'The same with your password, for who signed in longer ago',
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
  prepare: async (ctx, { password }) =>
    requireRecentProof(ctx, await requireUser(ctx, ctx.viewer.userId), password),
  run: removeAccount,
})
