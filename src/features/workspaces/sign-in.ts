import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx } from '../../core/context.ts'
import { randomToken } from '../../core/crypto.ts'
import { conflict, forbidden, notAuthenticated, notConfigured, unavailable } from '../../core/errors.ts'
import { Email, normalEmail } from '../../core/schemas.ts'
import { plainName } from '../../core/untrusted-text.ts'
import { toJson } from '../../db/columns.ts'
import { newId } from '../../db/ids.ts'
import type { UsersTable } from '../../db/schema.ts'
import { audit } from '../audit/index.ts'
import { book, bookWaitingBonuses, openBalance, redeemCode, SIGNUP_BONUS } from '../credits/index.ts'
import {
  cleanName,
  DEFAULT_SETTINGS,
  DisplayName,
  endAccess,
  findUser,
  findUserByEmail,
  findUserByGoogle,
  forgetFailures,
  hasAnyUser,
  hashPassword,
  insertUser,
  limitGuessers,
  Password,
  passwordMatches,
  recordFailure,
  sendVerificationMail,
  startSession,
  TokenResponse,
  updateUser,
} from '../identity/index.ts'
import { hasRoomInMailbox } from '../mail/index.ts'
import { tell, tellByMail } from '../notices/index.ts'
import { spendOnRegistration } from './invitations.ts'
import { createPersonalWorkspace } from './workspaces.ts'

type Applicant = { email: string; inviteCode: string | undefined; proven: boolean }

/** Requires a proven address unless the vault is empty, since anybody can type the address. */
async function isAwaitedAdmin(ctx: Ctx, { email, proven }: Applicant): Promise<boolean> {
  return ctx.config.adminEmails.includes(normalEmail(email)) && (proven || !(await hasAnyUser(ctx.db)))
}

async function requireOpenRegistration(ctx: Ctx, applicant: Applicant): Promise<void> {
  const { registration } = ctx.config
  if (registration === 'closed')
    throw forbidden('Registration is closed on this server. Ask its admin for an account.')
  const uninvited = registration === 'invite' && applicant.inviteCode === undefined
  if (uninvited && !(await isAwaitedAdmin(ctx, applicant)))
    throw forbidden(
      'Registration needs an invitation here. Ask a member for an invite link or an invite code.',
    )
}

async function applyInviteCode(ctx: Ctx, userId: string, code: string | undefined): Promise<void> {
  if (code === undefined || (await spendOnRegistration(ctx, code))) return
  await redeemCode(ctx, userId, code)
}

const InviteCode = z
  .string()
  .min(1)
  .max(200)
  .describe('An invite code, or the token of a workspace invitation.')

const UserRegister = z
  .object({
    email: Email,
    password: Password,
    display_name: DisplayName.optional(),
    invite_code: InviteCode.optional(),
  })
  .meta({ id: 'UserRegister' })

/** Without the rules of a new password: a text that breaks the rules is simply a wrong password. */
const UserLogin = z
  .object({ email: z.string().max(1000), password: z.string().max(1000) })
  .meta({ id: 'UserLogin' })

const GoogleLogin = z
  .object({
    id_token: z.string().min(1).max(10_000),
    invite_code: InviteCode.optional().describe('Used if this makes a new account.'),
  })
  .meta({ id: 'GoogleLogin' })

type NewAccount = {
  email: string
  displayName: string | undefined
  passwordHash: string | null
  googleSubject: string | null
}

/** Returns a name that does not contain the address, because others see it beside public cards. */
const defaultName = () =>
  `member-${randomToken(6)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '0')}`

/** Makes user, personal workspace, balance and signup bonus in one transaction. */
export async function createAccount(ctx: Ctx, account: NewAccount): Promise<UsersTable> {
  const now = ctx.now().toISOString()
  const user: UsersTable = {
    user_id: newId(),
    email: account.email,
    email_normal: normalEmail(account.email),
    password_hash: account.passwordHash,
    google_subject: account.googleSubject,
    display_name: cleanName(plainName(account.displayName ?? '')) || defaultName(),
    email_verified: account.googleSubject ? 1 : 0,
    onboarding: null,
    plan: 'free',
    settings: toJson(DEFAULT_SETTINGS),
    personal_workspace_id: newId(),
    created_at: now,
    updated_at: now,
    deleted_at: null,
    service_admin: 0,
  }
  await insertUser(ctx.db, user)
  await createPersonalWorkspace(ctx, { userId: user.user_id, workspaceId: user.personal_workspace_id })
  await openBalance(ctx, user.user_id)
  await book(ctx, { userId: user.user_id, delta: SIGNUP_BONUS, reason: 'signup_bonus', cause: 'signup' })
  await audit(ctx, {
    action: 'account.registered',
    subject: { type: 'user', id: user.user_id },
    actorId: user.user_id,
  })
  return user
}

const emailTaken = () =>
  conflict('email_taken', 'An account with this e-mail address exists. Sign in, or reset the password.')

export const register = capability({
  name: 'account.register',
  summary: 'Create an account, its personal workspace and its signup bonus',
  scopes: 'public',
  rest: ['POST /api/v1/auth/register'],
  status: 201,
  limit: 'auth',
  session: 'start',
  idempotencyOf: 'nobody',
  errors: [403, 404, 409, 410, 429],
  input: UserRegister,
  output: TokenResponse,
  prepare: async (ctx, { email, password, invite_code }) => {
    await requireOpenRegistration(ctx, { email, inviteCode: invite_code, proven: false })
    return hashPassword(ctx, password)
  },
  run: async (ctx, { email, display_name, invite_code }, passwordHash) => {
    // Accounts that are made and deleted in turn would flood a mailbox. Its owner can request the mail.
    const isMailed = await hasRoomInMailbox(ctx, 'verify_email', email)
    try {
      return await inTx(ctx, async (ctx) => {
        if (await findUserByEmail(ctx.db, email)) throw emailTaken()
        const account = { email, displayName: display_name, passwordHash, googleSubject: null }
        const user = await createAccount(ctx, account)
        await applyInviteCode(ctx, user.user_id, invite_code)
        if (isMailed) await sendVerificationMail(ctx, user)
        return startSession(ctx, user)
      })
    } catch (error) {
      if (ctx.database.isUniqueViolation(error)) throw emailTaken()
      throw error
    }
  },
})

const wrongCredentials = () =>
  notAuthenticated('The e-mail address or the password is not right.', 'invalid_credentials')

export const login = capability({
  name: 'account.login',
  summary: 'Sign in with e-mail and password',
  scopes: 'public',
  rest: ['POST /api/v1/auth/login'],
  limit: 'auth',
  session: 'start',
  idempotency: 'none',
  errors: [401, 429],
  input: UserLogin,
  output: TokenResponse,
  run: async (ctx, { email, password }) => {
    const address = normalEmail(email)
    await limitGuessers(ctx, address)
    const user = await findUserByEmail(ctx.db, address)
    if (!(await passwordMatches(ctx, user?.password_hash, password)) || !user) {
      await recordFailure(ctx, address)
      throw wrongCredentials()
    }
    return inTx(ctx, async (ctx) => {
      // The password may have changed during the check.
      const now = await findUser(ctx.db, user.user_id)
      if (!now || now.password_hash !== user.password_hash) throw wrongCredentials()
      await forgetFailures(ctx, address)
      return startSession(ctx, now)
    })
  },
})

export const loginWithGoogle = capability({
  name: 'account.google',
  summary: 'Sign in with a Google ID token; links to the account with the same e-mail address',
  scopes: 'public',
  rest: ['POST /api/v1/auth/google'],
  limit: 'auth',
  session: 'start',
  idempotency: 'none',
  errors: [401, 403, 404, 409, 410, 429, 503],
  input: GoogleLogin,
  output: TokenResponse,
  run: async (ctx, { id_token, invite_code }) => {
    if (!ctx.adapters.google) throw notConfigured('Sign-in with Google')
    const identity = await ctx.adapters.google.verify(id_token).catch((error: unknown) => {
      ctx.log.error({ err: error }, 'the keys of Google cannot be had')
      throw unavailable('Google cannot be reached right now.', 10)
    })
    if (!identity)
      throw notAuthenticated('This Google sign-in is not valid or has expired.', 'invalid_credentials')
    return inTx(ctx, async (ctx) => {
      const known = await findUserByGoogle(ctx.db, identity.subject)
      if (known) return startSession(ctx, known)
      const sameEmail = await findUserByEmail(ctx.db, identity.email)
      if (sameEmail) return startSession(ctx, await linkGoogle(ctx, sameEmail, identity.subject))
      await requireOpenRegistration(ctx, {
        email: identity.email,
        inviteCode: invite_code,
        proven: true,
      })
      const account = { ...identity, passwordHash: null, googleSubject: identity.subject }
      const user = await createAccount(ctx, account)
      await applyInviteCode(ctx, user.user_id, invite_code)
      return startSession(ctx, user)
    })
  },
})

/** At a company a new person may get a former one's mailbox; linking would open the old account. */
const otherGoogleAccount = () =>
  conflict(
    'other_google_account',
    'The account with this e-mail address is linked with another Google account. Sign in with that one, or with your password. If you have neither, reset the password by mail: this ends the link, and all other access.',
  )

/** Tells the address about the link: Google proved it once, and its current owner must know. */
const tellOfLink = (ctx: Ctx, user: UsersTable): Promise<void> =>
  tellByMail(ctx, { user, actor: '' }, { userId: user.user_id, kind: 'account.google_linked' })

/** Removes password, sessions and keys of a stranger who may have registered the address before. */
async function linkGoogle(ctx: Ctx, user: UsersTable, subject: string): Promise<UsersTable> {
  const unproven = user.email_verified === 0
  if (user.google_subject !== null && !unproven) throw otherGoogleAccount()
  const change = {
    google_subject: subject,
    email_verified: 1 as const,
    ...(unproven ? { password_hash: null } : {}),
    updated_at: ctx.now().toISOString(),
  }
  await updateUser(ctx.db, user.user_id, change)
  if (unproven) {
    await bookWaitingBonuses(ctx, user.user_id)
    await endAccess(ctx, user.user_id)
    await tell(ctx, { userId: user.user_id, kind: 'account.address_proved' })
  } else await tellOfLink(ctx, user)
  await audit(ctx, {
    action: 'account.google_linked',
    subject: { type: 'user', id: user.user_id },
    actorId: user.user_id,
  })
  return { ...user, ...change }
}
