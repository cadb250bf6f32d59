import { z } from 'zod'
import { capability } from '../../../core/capability.ts'
import type { Ctx } from '../../../core/context.ts'
import { inTx } from '../../../core/context.ts'
import { AppError, conflict, notAuthenticated, notConfigured, rateLimited } from '../../../core/errors.ts'
import { localTime } from '../../../core/language.ts'
import { Email, normalEmail } from '../../../core/schemas.ts'
import { randomToken, sha256 } from '../../../core/secrets.ts'
import type { EmailTokensTable, UsersTable } from '../../../db/tables/accounts.ts'
import { audit } from '../../audit/audit.ts'
import { bookWaitingBonuses } from '../../invite-codes/invite-codes.ts'
import { cancelMails, enqueueMail } from '../../mail/outbox.ts'
import { mailWithButton } from '../../mail/template.ts'
import { disconnectAllApps } from '../oauth/connected-apps.ts'
import { forgetFailures } from '../users/guessing.ts'
import { hashPassword, Password, passwordMatches } from '../users/passwords.ts'
import { languageOf } from '../users/user-settings.ts'
import {
  deleteSessionsOf,
  dropEmailTokens,
  findUserByEmail,
  insertEmailToken,
  updateUser,
  useEmailToken,
} from '../users/users.store.ts'
import { requireUser } from '../users/users.ts'
import { confirmEmailChange, emailTakenMeanwhile } from './email-change.ts'

const HOUR_MS = 3_600_000
const LIFETIME_MS = { reset_password: HOUR_MS, verify_email: 7 * 24 * HOUR_MS }
const RESETS_PER_EMAIL_A_MINUTE = 5
const CONFIRMATIONS_A_MINUTE = 3

type Issued = { token: string; expires_at: string }

async function issueToken(ctx: Ctx, userId: string, purpose: EmailTokensTable['purpose']): Promise<Issued> {
  const token = randomToken()
  await cancelMails(ctx, `${purpose}:${userId}`)
  const now = ctx.now()
  await dropEmailTokens(ctx.db, userId, purpose)
  const expires_at = new Date(now.getTime() + LIFETIME_MS[purpose]).toISOString()
  await insertEmailToken(ctx.db, {
    token_hash: sha256(token),
    user_id: userId,
    purpose,
    created_at: now.toISOString(),
    expires_at,
    used_at: null,
  })
  return { token, expires_at }
}

export async function sendVerificationMail(ctx: Ctx, user: UsersTable): Promise<void> {
  if (!ctx.adapters.mail || !user.email) return
  const { token, expires_at } = await issueToken(ctx, user.user_id, 'verify_email')
  const mail = mailWithButton({
    heading: 'Confirm your e-mail address',
    lines: ['Somebody, hopefully you, made a Knowledge Vault account with this address.'],
    button: { label: 'Confirm', url: `${ctx.config.baseUrl}/verify?token=${token}` },
    footer: [
      'The link works once, until ',
      localTime(languageOf(user), expires_at),
      '. If it was not you, ignore this mail.',
    ],
  })
  await enqueueMail(ctx, `verify_email:${user.user_id}:${sha256(token)}`, {
    to: user.email,
    subject: 'Confirm your e-mail address',
    ...mail,
  })
}

async function sendResetMail(ctx: Ctx, user: UsersTable): Promise<void> {
  if (!user.email) return
  const { token, expires_at } = await issueToken(ctx, user.user_id, 'reset_password')
  const mail = mailWithButton({
    heading: 'Choose a new password',
    lines: ['Somebody asked to reset the password of the Knowledge Vault account with this address.'],
    button: { label: 'Choose a new password', url: `${ctx.config.baseUrl}/reset?token=${token}` },
    footer: [
      'The link works once, for one hour, until ',
      localTime(languageOf(user), expires_at),
      '. If it was not you, ignore this mail; nothing has changed.',
    ],
  })
  await enqueueMail(ctx, `reset_password:${user.user_id}:${sha256(token)}`, {
    to: user.email,
    subject: 'Choose a new password',
    ...mail,
  })
}

const Token = z.string().min(10).max(400)

const deadLink = () =>
  new AppError(400, 'invalid_token', 'This link has been used, has expired, or was replaced by a newer one.')

export const requestPasswordReset = capability({
  name: 'account.request_reset',
  summary: 'Mail a link for choosing a new password',
  description: 'Answers the same whether or not the address has an account.',
  scopes: 'public',
  rest: ['POST /api/v1/auth/password/reset-request'],
  limit: 'auth',
  errors: [429],
  input: z.object({ email: Email }).meta({ id: 'PasswordResetRequest' }),
  output: z.object({ status: z.literal('sent_if_known') }).meta({ id: 'PasswordResetRequested' }),
  run: (ctx, { email }) =>
    inTx(ctx, async (ctx) => {
      const perMinute = ctx.limits.hit(`reset:${normalEmail(email)}`, RESETS_PER_EMAIL_A_MINUTE)
      if (perMinute.exceeded)
        throw rateLimited(perMinute.resetSeconds, 'Too many tries for this e-mail address.')
      const user = await findUserByEmail(ctx.db, email)
      if (user) await sendResetMail(ctx, user)
      return { status: 'sent_if_known' as const }
    }),
})

export const resetPassword = capability({
  name: 'account.reset_password',
  summary: 'Set a new password with the token from the mail; ends all sessions',
  scopes: 'public',
  rest: ['POST /api/v1/auth/password/reset'],
  status: 204,
  limit: 'auth',
  errors: [400, 429],
  input: z.object({ token: Token, new_password: Password }).meta({ id: 'PasswordReset' }),
  output: z.void(),
  run: async (ctx, { token, new_password }) => {
    const passwordHash = await hashPassword(new_password)
    await inTx(ctx, async (ctx) => {
      const now = ctx.now().toISOString()
      const used = await useEmailToken(ctx.db, { hash: sha256(token), purpose: 'reset_password', now })
      if (!used) throw deadLink()
      const user = await requireUser(ctx, used.user_id)
      // The mail arrived, so the address is theirs.
      await updateUser(ctx.db, user.user_id, {
        password_hash: passwordHash,
        email_verified: 1,
        updated_at: now,
      })
      await bookWaitingBonuses(ctx, user.user_id)
      await deleteSessionsOf(ctx.db, user.user_id)
      await disconnectAllApps(ctx, user.user_id)
      await forgetFailures(ctx, user.email_normal ?? '')
      await audit(ctx, {
        action: 'account.password_reset',
        subject: { type: 'user', id: user.user_id },
        actorId: user.user_id,
      })
    })
  },
})

export const verifyEmail = capability({
  name: 'account.verify_email',
  summary: 'Confirm an e-mail address with the token from the mail',
  description: 'The address of the account, or the new one that POST /api/v1/auth/email asked for.',
  scopes: 'public',
  rest: ['POST /api/v1/auth/verify-email'],
  status: 204,
  limit: 'auth',
  errors: [400, 409, 429],
  input: z.object({ token: Token }).meta({ id: 'EmailVerification' }),
  output: z.void(),
  run: async (ctx, { token }) => {
    try {
      await inTx(ctx, async (ctx) => {
        const now = ctx.now().toISOString()
        const used = await useEmailToken(ctx.db, { hash: sha256(token), purpose: 'verify_email', now })
        if (used) {
          await updateUser(ctx.db, used.user_id, { email_verified: 1, updated_at: now })
          await bookWaitingBonuses(ctx, used.user_id)
        } else if (!(await confirmEmailChange(ctx, token))) throw deadLink()
      })
    } catch (error) {
      // Two accounts confirm the same new address at the same moment.
      if (ctx.database.isUniqueViolation(error)) throw emailTakenMeanwhile()
      throw error
    }
  },
})

export const resendVerification = capability({
  name: 'account.resend_verification',
  summary: 'Mail the link that confirms your e-mail address again; the former link stops working',
  scopes: ['account'],
  rest: ['POST /api/v1/auth/verify-email/resend'],
  limit: 'auth',
  errors: [409, 429, 503],
  input: z.object({}),
  output: z.object({ email: z.string() }).meta({ id: 'VerificationSent' }),
  run: (ctx) => {
    if (!ctx.adapters.mail) throw notConfigured('Mail')
    if (ctx.config.rateLimit) {
      const perMinute = ctx.limits.hit(`confirm:${ctx.viewer.userId}`, CONFIRMATIONS_A_MINUTE)
      if (perMinute.exceeded) throw rateLimited(perMinute.resetSeconds, 'The mail was sent a moment ago.')
    }
    return inTx(ctx, async (ctx) => {
      const user = await requireUser(ctx, ctx.viewer.userId)
      if (user.email_verified === 1)
        throw conflict('already_verified', 'Your e-mail address is confirmed already.')
      await sendVerificationMail(ctx, user)
      return { email: user.email ?? '' }
    })
  },
})

export const changePassword = capability({
  name: 'account.change_password',
  summary: 'Change the password; ends all other sessions',
  description: 'An account made by Google sign-in has no password yet and leaves current_password out.',
  scopes: ['account'],
  rest: ['POST /api/v1/auth/password'],
  status: 204,
  limit: 'auth',
  errors: [429],
  input: z
    .object({ current_password: z.string().max(1000).optional(), new_password: Password })
    .meta({ id: 'PasswordChange' }),
  output: z.void(),
  run: async (ctx, { current_password, new_password }) => {
    const user = await requireUser(ctx, ctx.viewer.userId)
    if (user.password_hash !== null && !(await passwordMatches(user.password_hash, current_password ?? '')))
      throw notAuthenticated('The current password is not right.', 'invalid_credentials')
    const passwordHash = await hashPassword(new_password)
    await inTx(ctx, async (ctx) => {
      await updateUser(ctx.db, user.user_id, {
        password_hash: passwordHash,
        updated_at: ctx.now().toISOString(),
      })
      await deleteSessionsOf(ctx.db, user.user_id, ctx.viewer.credential.id)
      await audit(ctx, { action: 'account.password_changed', subject: { type: 'user', id: user.user_id } })
    })
  },
})
