import { z } from 'zod'
import { capability } from '../../../core/capability.ts'
import { type Ctx, inTx } from '../../../core/context.ts'
import { AppError, conflict, notAuthenticated, notConfigured, rateLimited } from '../../../core/errors.ts'
import { localTime } from '../../../core/language.ts'
import { randomToken, sha256 } from '../../../core/secrets.ts'
import type { EmailTokensTable, UsersTable } from '../../../db/tables/accounts.ts'
import { audit } from '../../audit/audit.ts'
import { bookWaitingBonuses } from '../../invite-codes/invite-codes.ts'
import { cancelMails, enqueueMail, requireRoomInMailbox } from '../../mail/outbox.ts'
import { mailWithButton } from '../../mail/template.ts'
import { tell } from '../../notices/tell.ts'
import { emailChangeOwner } from '../users/email-change.store.ts'
import { forgetFailures } from '../users/guessing.ts'
import { hashPassword, Password } from '../users/passwords.ts'
import { languageOf } from '../users/user-settings.ts'
import {
  dropEmailTokens,
  emailTokenOwner,
  insertEmailToken,
  updateUser,
  useEmailToken,
} from '../users/users.store.ts'
import { requireUser } from '../users/users.ts'
import { confirmEmailChange, emailTakenMeanwhile } from './email-change.ts'
import { endAccess } from './end-access.ts'

const HOUR_MS = 3_600_000
const LIFETIME_MS = { reset_password: HOUR_MS, verify_email: 7 * 24 * HOUR_MS }
const CONFIRMATIONS_A_MINUTE = 3

type Issued = { token: string; expires_at: string }

export async function issueToken(
  ctx: Ctx,
  userId: string,
  purpose: EmailTokensTable['purpose'],
): Promise<Issued> {
  const token = randomToken()
  const now = ctx.now()
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
  await cancelMails(ctx, `verify_email:${user.user_id}`)
  await dropEmailTokens(ctx.db, user.user_id, 'verify_email')
  const { token, expires_at } = await issueToken(ctx, user.user_id, 'verify_email')
  const mail = mailWithButton({
    heading: 'Confirm your e-mail address',
    lines: ['Somebody, hopefully you, made a Knowledge Vault account with this address.'],
    button: { label: 'Confirm', url: `${ctx.config.baseUrl}/verify?token=${token}` },
    footer: [
      'The link works once, until ',
      localTime(languageOf(user), expires_at),
      '. If it was not you, ignore this mail; with a new password you can take the account over.',
    ],
  })
  await enqueueMail(ctx, `verify_email:${user.user_id}:${sha256(token)}`, {
    to: user.email,
    subject: 'Confirm your e-mail address',
    ...mail,
  })
}

const Token = z.string().min(10).max(400)

const deadLink = () =>
  new AppError(400, 'invalid_token', 'This link has been used, has expired, or was replaced by newer ones.')

/** The person who resets the password of an unproven address may find things there that a stranger has added. */
async function warnOfFormerHolder(ctx: Ctx, user: UsersTable): Promise<void> {
  if (user.email_verified === 1) return
  await tell(ctx, { userId: user.user_id, kind: 'account.address_proved' })
}

export const resetPassword = capability({
  name: 'account.reset_password',
  summary: 'Set a new password with the token from the mail; ends every session, API key and connected app',
  description:
    'The mail proves who owns the address. Every other access to the account ends, whatever the credential, and so does the link with a Google account. The next Google sign-in with the same address links again.',
  scopes: 'public',
  rest: ['POST /api/v1/auth/password/reset'],
  status: 204,
  limit: 'auth',
  errors: [400, 429],
  input: z.object({ token: Token, new_password: Password }).meta({ id: 'PasswordReset' }),
  output: z.void(),
  prepare: (ctx, { new_password }) => hashPassword(ctx, new_password),
  run: (ctx, { token }, passwordHash) =>
    inTx(ctx, async (ctx) => {
      const now = ctx.now().toISOString()
      const used = await useEmailToken(ctx.db, { hash: sha256(token), purpose: 'reset_password', now })
      if (!used) throw deadLink()
      const user = await requireUser(ctx, used.user_id)
      await updateUser(ctx.db, user.user_id, {
        password_hash: passwordHash,
        // Whoever had the address before, or moved the account to it, would come back by their own Google account.
        google_subject: null,
        email_verified: 1,
        updated_at: now,
      })
      await bookWaitingBonuses(ctx, user.user_id)
      await endAccess(ctx, user.user_id)
      for (const purpose of ['reset_password', 'verify_email'] as const)
        await dropEmailTokens(ctx.db, user.user_id, purpose)
      await forgetFailures(ctx, user.email_normal ?? '')
      await warnOfFormerHolder(ctx, user)
      await audit(ctx, {
        action: 'account.password_reset',
        subject: { type: 'user', id: user.user_id },
        actorId: user.user_id,
      })
    }),
})

/**
 * The link proves the mailbox, not who holds the account. If it were enough, whoever registers somebody's address, or
 * moves an account to it, would only have to wait until its owner clicks. So the account's own holder must open it.
 */
async function requireHolder(ctx: Ctx, token: string): Promise<void> {
  const hash = sha256(token)
  const owner =
    (await emailTokenOwner(ctx.db, hash, 'verify_email')) ?? (await emailChangeOwner(ctx.db, hash))
  if (!owner) throw deadLink()
  if (ctx.viewer?.userId === owner) return
  throw notAuthenticated(
    'Sign in to the account with this address, then open the link again. If you made no account, somebody else did: reset its password to take it over.',
  )
}

export const verifyEmail = capability({
  name: 'account.verify_email',
  summary: 'Confirm an e-mail address with the token from the mail, signed in to that account',
  description: 'The address of the account, or the new one that POST /api/v1/auth/email asked for.',
  scopes: 'public',
  rest: ['POST /api/v1/auth/verify-email'],
  status: 204,
  limit: 'auth',
  errors: [400, 401, 409, 429],
  input: z.object({ token: Token }).meta({ id: 'EmailVerification' }),
  output: z.void(),
  run: async (ctx, { token }) => {
    try {
      await inTx(ctx, async (ctx) => {
        await requireHolder(ctx, token)
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
      if (perMinute.exceeded) throw rateLimited(perMinute, 'The mail was sent a moment ago.')
    }
    return inTx(ctx, async (ctx) => {
      const user = await requireUser(ctx, ctx.viewer.userId)
      if (user.email_verified === 1)
        throw conflict('already_verified', 'Your e-mail address is already confirmed.')
      await requireRoomInMailbox(ctx, 'verify_email', user.email ?? '')
      await sendVerificationMail(ctx, user)
      return { email: user.email ?? '' }
    })
  },
})
