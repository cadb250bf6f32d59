import { z } from 'zod'
import { capability } from '../../../core/capability.ts'
import type { Ctx, Services, Viewer } from '../../../core/context.ts'
import { inTx } from '../../../core/context.ts'
import { notFound } from '../../../core/errors.ts'
import { AnswerId, Time } from '../../../core/schemas.ts'
import { ANY_SCOPE } from '../../../core/scopes.ts'
import { dictionary } from '../../../core/sizes.ts'
import { fromJsonOrNull, toJson } from '../../../db/columns.ts'
import type { UsersTable } from '../../../db/tables/accounts.ts'
import { balanceOf } from '../../credits/ledger.ts'
import { hasRole, roleOf } from '../../permissions/permission.ts'
import { cleanJson, Findings } from '../../redaction/stored.ts'
import { pendingEmail } from './email-change.store.ts'
import { homeOfCredential } from './key-home.ts'
import { languageOf, settingsOf } from './user-settings.ts'
import { findUser, updateUser } from './users.store.ts'

// What other features do to a person's row.
export {
  findUser,
  findUserByEmail,
  findUserByGoogle,
  hasAnyUser,
  insertUser,
  listGrantedAdmins,
  updateUser,
} from './users.store.ts'

const Answer = z.union([z.string().max(2000), z.array(z.string().max(2000)).max(50), z.boolean(), z.number()])
const Answers = dictionary(z.string().max(200), Answer, 50)

export const UserResponse = z
  .object({
    user_id: AnswerId,
    email: z.string(),
    display_name: z.string(),
    email_verified: z.boolean(),
    pending_email: z.string().nullable().describe('A new address that is not confirmed yet.'),
    onboarding_completed: z.boolean(),
    onboarding: z.record(z.string(), Answer).nullable(),
    plan: z.string(),
    personal_workspace_id: AnswerId,
    default_workspace_id: AnswerId.nullable().describe(
      'From the API key of this call, else from the settings, while the user may write there; null is the personal workspace',
    ),
    language: z.string().describe('From the settings'),
    credits_balance: z.int(),
    is_admin: z.boolean(),
    is_moderator: z.boolean().describe('Decides about reported cards of the library'),
    created_at: Time,
  })
  .meta({ id: 'UserResponse' })

export const OnboardingSubmit = z.object({ answers: Answers }).meta({ id: 'OnboardingSubmit' })

/**
 * Service admins are granted on the server's command line, or named by e-mail in the configuration. A named address
 * must be proved, by mail or by Google: being the first to register it gives nothing.
 */
export const isServiceAdmin = (
  config: Ctx['config'],
  user: { email_normal: string | null; email_verified: number; service_admin: number },
): boolean =>
  user.service_admin === 1 ||
  (user.email_verified === 1 && user.email_normal !== null && config.adminEmails.includes(user.email_normal))

/** Service admins, and whom they name in MODERATOR_EMAILS: the address must be proved, as theirs. */
export const isServiceModerator = (
  config: Ctx['config'],
  user: { email_normal: string | null; email_verified: number; service_admin: number },
): boolean =>
  isServiceAdmin(config, user) ||
  (user.email_verified === 1 &&
    user.email_normal !== null &&
    config.moderatorEmails.includes(user.email_normal))

/** The address a person knows their account by, for pages that name it. */
export const emailOf = async (ctx: Ctx, userId: string): Promise<string> =>
  (await findUser(ctx.db, userId))?.email ?? ''

/** Where the web app and the command line put a new card, if that is not the personal workspace. */
export async function defaultWorkspaceOf(ctx: Ctx, user: UsersTable): Promise<string | null> {
  const { default_workspace_id } = settingsOf(user)
  if (default_workspace_id === null) return null
  const role = await roleOf(ctx, default_workspace_id, user.user_id)
  return hasRole(role, 'editor') ? default_workspace_id : null
}

export async function presentUser(ctx: Ctx, user: UsersTable): Promise<z.input<typeof UserResponse>> {
  return {
    user_id: user.user_id,
    email: user.email ?? '',
    display_name: user.display_name,
    email_verified: user.email_verified === 1,
    pending_email: await pendingEmail(ctx.db, user.user_id, ctx.now().toISOString()),
    onboarding_completed: user.onboarding !== null,
    onboarding: fromJsonOrNull(user.onboarding),
    plan: user.plan,
    personal_workspace_id: user.personal_workspace_id,
    default_workspace_id: await defaultWorkspaceOf(ctx, user),
    language: languageOf(user),
    credits_balance: await balanceOf(ctx, user.user_id),
    is_admin: isServiceAdmin(ctx.config, user),
    is_moderator: isServiceModerator(ctx.config, user),
    created_at: user.created_at,
  }
}

export async function requireUser(ctx: Ctx, userId: string): Promise<UsersTable> {
  const user = await findUser(ctx.db, userId)
  if (!user) throw notFound('User')
  return user
}

/** The language of whoever looks at a page; English for somebody who is not signed in. */
export const languageFor = async ({ database }: Services, viewer: Viewer | null): Promise<string> =>
  languageOf(viewer ? await findUser(database.readFor(viewer.userId), viewer.userId) : undefined)

/** Whether this is somebody's id, and whether they still have an account. */
export async function accountState(ctx: Ctx, userId: string): Promise<'present' | 'deleted' | 'unknown'> {
  const row = await ctx.db
    .selectFrom('users')
    .select('deleted_at')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!row) return 'unknown'
  return row.deleted_at === null ? 'present' : 'deleted'
}

/** Sets the plan, unless it is set already. Only billing decides it. */
export async function setPlan(ctx: Ctx, userId: string, plan: string): Promise<void> {
  const user = await findUser(ctx.db, userId)
  if (user && user.plan !== plan)
    await updateUser(ctx.db, userId, { plan, updated_at: ctx.now().toISOString() })
}

export const me = capability({
  name: 'account.me',
  summary: 'The signed-in user',
  description: 'Works with every credential: an agent’s key may learn who its owner is.',
  scopes: ANY_SCOPE,
  rest: ['GET /api/v1/auth/me'],
  input: z.object({}),
  output: UserResponse,
  run: async (ctx) => {
    const user = await presentUser(ctx, await requireUser(ctx, ctx.viewer.userId))
    const home = await homeOfCredential(ctx)
    if (home === null || !hasRole(await roleOf(ctx, home, ctx.viewer.userId), 'editor')) return user
    return { ...user, default_workspace_id: home }
  },
})

export const submitOnboarding = capability({
  name: 'account.onboarding',
  summary: 'Save the onboarding answers and mark onboarding as done',
  scopes: ['account'],
  rest: ['POST /api/v1/auth/onboarding'],
  input: OnboardingSubmit,
  output: UserResponse,
  run: (ctx, { answers }) =>
    inTx(ctx, async (ctx) => {
      await updateUser(ctx.db, ctx.viewer.userId, {
        onboarding: toJson(cleanJson(answers, new Findings())),
        updated_at: ctx.now().toISOString(),
      })
      return presentUser(ctx, await requireUser(ctx, ctx.viewer.userId))
    }),
})
