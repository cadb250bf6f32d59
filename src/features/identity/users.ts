import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, type Services, type UserCtx, type Viewer } from '../../core/context.ts'
import { AppError, notAuthenticated, notFound } from '../../core/errors.ts'
import { AnswerId, normalEmail, Time } from '../../core/schemas.ts'
import { plainName } from '../../core/untrusted-text.ts'
import { dictionary } from '../../core/validation.ts'
import { fromJsonOrNull, toJson } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import { type Named, prepared } from '../../db/prepared.ts'
import type {
  EmailChangesTable,
  EmailTokensTable,
  ResetRequestsTable,
  SessionsTable,
  UsersTable,
} from '../../db/schema.ts'
import { byBytes } from '../../db/sql-values.ts'
import { cleanJson, cleanText, Findings } from '../../redaction/redact.ts'
import { ANY_SCOPE } from '../../shared/scopes.ts'
import { DAY_MS } from '../../shared/time.ts'
import { cutText } from '../../text/unicode.ts'
import { balanceOf, showsCredits } from '../credits/index.ts'
import { hasRole, roleOf } from '../permissions/index.ts'
import { languageOf, settingsOf } from './user-settings.ts'

/** Stores a request; it replaces an older one, whose link stops working. */
export async function putEmailChange(db: Db, row: EmailChangesTable): Promise<void> {
  const { user_id: _, ...newer } = row
  await db
    .insertInto('email_changes')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(newer))
    .execute()
}

/** Finds and deletes the change of a token, so that the token works once. */
export function takeEmailChange(
  db: Db,
  tokenHash: string,
  now: string,
): Promise<EmailChangesTable | undefined> {
  return db
    .deleteFrom('email_changes')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
}

export async function dropEmailChange(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('email_changes').where('user_id', '=', userId).execute()
}

async function pendingEmail(db: Db, userId: string, now: string): Promise<string | null> {
  const row = await db
    .selectFrom('email_changes')
    .select('email')
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row?.email ?? null
}

export async function emailChangeOwner(db: Db, tokenHash: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('email_changes')
    .select('user_id')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
  return row?.user_id
}

const homeOfKey = prepared('homeOfApiKey', (db, parameter: Named<{ key: string }>) =>
  db
    .selectFrom('api_keys')
    .select(['default_workspace_id', 'share_recorded'])
    .where('key_id', '=', parameter('key')),
)

export async function homeOfCredential({ db, viewer }: UserCtx): Promise<string | null> {
  const { kind, id } = viewer.credential
  if (kind !== 'api_key') return null
  const [key] = await homeOfKey(db, { key: id })
  return key?.default_workspace_id ?? null
}

/** Returns whether the person writes in this workspace and it is a private team. */
export async function isOwnPrivateTeam({ db }: Ctx, workspaceId: string, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('workspaces')
    .innerJoin('memberships', 'memberships.workspace_id', 'workspaces.workspace_id')
    .select('workspaces.workspace_id')
    .where('workspaces.workspace_id', '=', workspaceId)
    .where('workspaces.visibility', '=', 'private')
    .where('workspaces.type', '!=', 'personal')
    .where('workspaces.deleted_at', 'is', null)
    .where('memberships.user_id', '=', userId)
    .where('memberships.role', 'in', ['editor', 'admin'])
    .executeTakeFirst()
  return row !== undefined
}

/** Returns the team with which the person shares what this credential records; null without that choice. */
export async function sharingTeamOf(ctx: UserCtx, user: UsersTable): Promise<string | null> {
  const { kind, id } = ctx.viewer.credential
  const [key] = kind === 'api_key' ? await homeOfKey(ctx.db, { key: id }) : []
  const choice =
    kind === 'api_key'
      ? { team: key?.default_workspace_id ?? null, isOn: key?.share_recorded === 1 }
      : { team: settingsOf(user).default_workspace_id, isOn: settingsOf(user).share_recorded }
  if (!choice.isOn || choice.team === null) return null
  return (await isOwnPrivateTeam(ctx, choice.team, user.user_id)) ? choice.team : null
}

/** Ends the choice to share with this team, so that somebody who comes back is asked again. */
export async function endSharingWith(ctx: Ctx, userId: string, workspaceId: string): Promise<void> {
  await ctx.db
    .updateTable('api_keys')
    .set({ share_recorded: 0 })
    .where('user_id', '=', userId)
    .where('default_workspace_id', '=', workspaceId)
    .execute()
  const user = await findUser(ctx.db, userId)
  if (!user) return
  const settings = settingsOf(user)
  if (settings.default_workspace_id !== workspaceId || !settings.share_recorded) return
  await updateUser(ctx.db, userId, {
    settings: toJson({ ...settings, share_recorded: false, sharing_answered: false }),
    updated_at: ctx.now().toISOString(),
  })
}

export async function insertUser(db: Db, row: UsersTable): Promise<void> {
  await db.insertInto('users').values(row).execute()
}

const findUserRow = prepared('findUserRow', (db, parameter: Named<{ user: string }>) =>
  db.selectFrom('users').selectAll().where('user_id', '=', parameter('user')).where('deleted_at', 'is', null),
)

export async function findUser(db: Db, userId: string): Promise<UsersTable | undefined> {
  const [row] = await findUserRow(db, { user: userId })
  return row
}

export function findUserByEmail(db: Db, email: string): Promise<UsersTable | undefined> {
  return db.selectFrom('users').selectAll().where('email_normal', '=', normalEmail(email)).executeTakeFirst()
}

export async function hasAnyUser(db: Db): Promise<boolean> {
  return (await db.selectFrom('users').select('user_id').limit(1).executeTakeFirst()) !== undefined
}

export function findUserByGoogle(db: Db, subject: string): Promise<UsersTable | undefined> {
  return db.selectFrom('users').selectAll().where('google_subject', '=', subject).executeTakeFirst()
}

export async function updateUser(db: Db, userId: string, change: Partial<UsersTable>): Promise<void> {
  await db.updateTable('users').set(change).where('user_id', '=', userId).execute()
}

export async function listGrantedAdmins(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('users')
    .select('email')
    .where('service_admin', '=', 1)
    .where('deleted_at', 'is', null)
    .orderBy(byBytes(db, 'email_normal'))
    .execute()
  return rows.flatMap(({ email }) => email ?? [])
}

export async function insertSession(db: Db, row: SessionsTable): Promise<void> {
  await db.insertInto('sessions').values(row).execute()
}

export async function deleteSession(db: Db, sessionId: string): Promise<void> {
  await db.deleteFrom('sessions').where('session_id', '=', sessionId).execute()
}

export async function deleteSessionOfToken(db: Db, tokenHash: string): Promise<void> {
  await db.deleteFrom('sessions').where('token_hash', '=', tokenHash).execute()
}

export async function deleteOwnSession(db: Db, userId: string, sessionId: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom('sessions')
    .where('session_id', '=', sessionId)
    .where('user_id', '=', userId)
    .returning('session_id')
    .executeTakeFirst()
  return deleted !== undefined
}

export async function deleteSessionsOf(db: Db, userId: string, exceptId = ''): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).where('session_id', '!=', exceptId).execute()
}

export async function deleteKeysOf(db: Db, userId: string, exceptId = ''): Promise<void> {
  await db.deleteFrom('api_keys').where('user_id', '=', userId).where('key_id', '!=', exceptId).execute()
}

async function findCredential(db: Db, { kind, id }: Viewer['credential']): Promise<boolean> {
  const rows = {
    session: () => db.selectFrom('sessions').select('user_id').where('session_id', '=', id),
    api_key: () => db.selectFrom('api_keys').select('user_id').where('key_id', '=', id),
    oauth: () => db.selectFrom('oauth_grants').select('user_id').where('grant_id', '=', id),
  }
  return (await rows[kind]().executeTakeFirst()) !== undefined
}

export async function deleteEndedSessions(db: Db, now: string): Promise<void> {
  await db.deleteFrom('sessions').where('expires_at', '<=', now).execute()
}

const MAX_LISTED_SESSIONS = 500

export function listSessionsOf(db: Db, userId: string, now: string): Promise<SessionsTable[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('session_id', 'desc')
    .limit(MAX_LISTED_SESSIONS)
    .execute()
}

export async function insertResetRequest(db: Db, row: ResetRequestsTable): Promise<void> {
  await db.insertInto('reset_requests').values(row).execute()
}

export function liveResetTokens(db: Db, userId: string, now: string): Promise<EmailTokensTable[]> {
  return db
    .selectFrom('email_tokens')
    .selectAll()
    .where('user_id', '=', userId)
    .where('purpose', '=', 'reset_password')
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('token_hash')
    .execute()
}

export async function deleteEmailToken(db: Db, hash: string): Promise<void> {
  await db.deleteFrom('email_tokens').where('token_hash', '=', hash).execute()
}

export async function emailTokenOwner(
  db: Db,
  hash: string,
  purpose: EmailTokensTable['purpose'],
): Promise<string | undefined> {
  const row = await db
    .selectFrom('email_tokens')
    .select('user_id')
    .where('token_hash', '=', hash)
    .where('purpose', '=', purpose)
    .executeTakeFirst()
  return row?.user_id
}

export async function insertEmailToken(db: Db, row: EmailTokensTable): Promise<void> {
  await db.insertInto('email_tokens').values(row).execute()
}

/** Finds and uses up the token in one statement, so that the token works once. */
export function useEmailToken(
  db: Db,
  token: { hash: string; purpose: EmailTokensTable['purpose']; now: string },
): Promise<{ user_id: string } | undefined> {
  return db
    .updateTable('email_tokens')
    .set({ used_at: token.now })
    .where('token_hash', '=', token.hash)
    .where('purpose', '=', token.purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', token.now)
    .returning('user_id')
    .executeTakeFirst()
}

export async function dropEmailTokens(
  db: Db,
  userId: string,
  purpose: EmailTokensTable['purpose'],
): Promise<void> {
  await db.deleteFrom('email_tokens').where('user_id', '=', userId).where('purpose', '=', purpose).execute()
}

/** Deletes expired links, and the new addresses that they did not confirm. */
export async function deleteEndedLinks(db: Db, now: string): Promise<void> {
  await db.deleteFrom('email_tokens').where('expires_at', '<=', now).execute()
  await db.deleteFrom('email_changes').where('expires_at', '<=', now).execute()
}

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
    share_recorded: z
      .boolean()
      .describe('Cards that this call records in default_workspace_id are shared there at once'),
    sharing_answered: z.boolean().describe('From the settings'),
    language: z.string().describe('From the settings'),
    credits_balance: z.int(),
    shows_credits: z
      .boolean()
      .optional()
      .describe(
        'Only from GET /api/v1/auth/me: whether credits mean something to this person. True with a plan, a purchase or an opened checkout; else true while credits are on and the library has cards of others.',
      ),
    is_admin: z.boolean(),
    is_moderator: z.boolean().describe('Decides about reported cards of the library'),
    created_at: Time,
  })
  .meta({ id: 'UserResponse' })

const OnboardingSubmit = z.object({ answers: Answers }).meta({ id: 'OnboardingSubmit' })

/** An admin address from the configuration must be proven, because anybody can register it. */
export const isServiceAdmin = (
  config: Ctx['config'],
  user: { email_normal: string | null; email_verified: number; service_admin: number },
): boolean =>
  user.service_admin === 1 ||
  (user.email_verified === 1 && user.email_normal !== null && config.adminEmails.includes(user.email_normal))

/** Returns whether a person is a service admin or is named in MODERATOR_EMAILS. The address must be proven. */
export const isServiceModerator = (
  config: Ctx['config'],
  user: { email_normal: string | null; email_verified: number; service_admin: number },
): boolean =>
  isServiceAdmin(config, user) ||
  (user.email_verified === 1 &&
    user.email_normal !== null &&
    config.moderatorEmails.includes(user.email_normal))

export const emailOf = async (ctx: Ctx, userId: string): Promise<string> =>
  (await findUser(ctx.db, userId))?.email ?? ''

/** Returns where the web app and the command line put a new card, if that is not the personal workspace. */
export async function defaultWorkspaceOf(ctx: Ctx, user: UsersTable): Promise<string | null> {
  const { default_workspace_id } = settingsOf(user)
  if (default_workspace_id === null) return null
  const role = await roleOf(ctx, default_workspace_id, user.user_id)
  return hasRole(role, 'editor') ? default_workspace_id : null
}

/** Returns whether the person shares what they record in the default workspace of the settings. */
export async function sharesByDefault(ctx: Ctx, user: UsersTable): Promise<boolean> {
  const { default_workspace_id: team, share_recorded } = settingsOf(user)
  return share_recorded && team !== null && (await isOwnPrivateTeam(ctx, team, user.user_id))
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
    share_recorded: await sharesByDefault(ctx, user),
    sharing_answered: settingsOf(user).sharing_answered,
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

/** Returns the viewer's language; English without a sign-in. */
export const languageFor = async ({ database }: Services, viewer: Viewer | null): Promise<string> =>
  languageOf(viewer ? await findUser(database.readFor(viewer.userId), viewer.userId) : undefined)

export async function accountState(ctx: Ctx, userId: string): Promise<'present' | 'deleted' | 'unknown'> {
  const row = await ctx.db
    .selectFrom('users')
    .select('deleted_at')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!row) return 'unknown'
  return row.deleted_at === null ? 'present' : 'deleted'
}

/** Sets the plan. Only billing may call it. */
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
    const row = await requireUser(ctx, ctx.viewer.userId)
    const user = { ...(await presentUser(ctx, row)), shows_credits: await showsCredits(ctx, row) }
    const home = await homeOfCredential(ctx)
    const team = await sharingTeamOf(ctx, row)
    if (home === null || !hasRole(await roleOf(ctx, home, ctx.viewer.userId), 'editor'))
      return { ...user, share_recorded: team !== null && team === user.default_workspace_id }
    return { ...user, default_workspace_id: home, share_recorded: team === home }
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

export const publishingDisabled = (detail: string) => new AppError(403, 'publishing_disabled', detail)

export const isPublishingEnabled = async (ctx: UserCtx): Promise<boolean> =>
  settingsOf(await requireUser(ctx, ctx.viewer.userId)).publishing_enabled

export async function requirePublishing(ctx: UserCtx): Promise<void> {
  if (await isPublishingEnabled(ctx)) return
  throw publishingDisabled('Publishing is switched off in your settings (publishing_enabled).')
}

const MAX_NAME_LENGTH = 120

/** One line without invisible characters, since others see it beside cards and in mails. */
export const DisplayName = z.string().overwrite(plainName).min(1).max(MAX_NAME_LENGTH)

/** Replaces secrets, since everybody can read the name beside public cards. */
export const cleanName = (name: string): string =>
  cutText(cleanText(name, new Findings()), MAX_NAME_LENGTH).text

/** Call it in the transaction that makes a credential: an ended credential must make no other. */
export async function requireLiveCredential(ctx: UserCtx): Promise<void> {
  if (!(await findCredential(ctx.db, ctx.viewer.credential)))
    throw notAuthenticated('This credential has ended meanwhile. Sign in again.', 'invalid_token')
}

/** Weights of an account's vote by its age. Anybody can make a hundred accounts today, but not a month ago. */
const AGES = [
  { name: 'young', belowDays: 7, factor: 0.1 },
  { name: 'recent', belowDays: 30, factor: 0.5 },
] as const

export type AccountAge = (typeof AGES)[number]['name'] | 'established'

export function accountAge(since: string, now: Date): AccountAge {
  const days = (now.getTime() - Date.parse(since)) / DAY_MS
  return AGES.find(({ belowDays }) => days < belowDays)?.name ?? 'established'
}

export const factorOfAge = (age: AccountAge): number => AGES.find(({ name }) => name === age)?.factor ?? 1
