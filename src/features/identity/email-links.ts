import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, type UserCtx } from '../../core/context.ts'
import { randomToken, sha256 } from '../../core/crypto.ts'
import { AppError, conflict, notAuthenticated, notConfigured, rateLimited } from '../../core/errors.ts'
import { Email, normalEmail, Time } from '../../core/schemas.ts'
import { newId } from '../../db/ids.ts'
import { inBatches, type Queue, take, waiting } from '../../db/queue.ts'
import type { EmailTokensTable, UsersTable } from '../../db/schema.ts'
import { localTime } from '../../shared/language.ts'
import { audit } from '../audit/index.ts'
import { bookWaitingBonuses, keepLeftAddress } from '../credits/index.ts'
import {
  cancelMail,
  cancelMails,
  enqueueMail,
  hasRoomInMailbox,
  mailWithButton,
  requireRoomInMailbox,
} from '../mail/index.ts'
import { tell } from '../notices/index.ts'
import { forgetFailures, hashPassword, Password, requireRecentProof } from './passwords.ts'
import { endAccess } from './sessions.ts'
import { languageOf } from './user-settings.ts'
import {
  deleteEmailToken,
  dropEmailChange,
  dropEmailTokens,
  emailChangeOwner,
  emailTokenOwner,
  findUserByEmail,
  insertEmailToken,
  insertResetRequest,
  liveResetTokens,
  putEmailChange,
  requireUser,
  takeEmailChange,
  updateUser,
  useEmailToken,
} from './users.ts'

const LIFETIME_MS = 24 * 3_600_000
/** A limit, because the mail goes to any address that the caller names. */
const REQUESTS_A_MINUTE = 5

const emailTakenMeanwhile = () => conflict('email_taken', 'Another account has this e-mail address.')

function limitMassMails(ctx: UserCtx): void {
  if (!ctx.config.rateLimit) return
  const state = ctx.limits.hit(`email-change:${ctx.viewer.userId}`, REQUESTS_A_MINUTE)
  if (state.exceeded) throw rateLimited(state, 'Too many changes of the e-mail address.')
}

const EmailChangeResponse = z
  .object({
    pending_email: z.string(),
    email_sent: z
      .boolean()
      .describe('The mail is in the outbox and goes out by itself. false: no mail server, so use the link.'),
    confirm_url: z
      .string()
      .nullable()
      .describe('Only where the server sends no mail: the page where the new address is confirmed.'),
    expires_at: Time,
  })
  .meta({ id: 'EmailChangeResponse' })

async function begin(
  ctx: UserCtx,
  user: UsersTable,
  email: string,
): Promise<z.input<typeof EmailChangeResponse>> {
  const now = ctx.now()
  const token = randomToken()
  const url = `${ctx.config.baseUrl}/verify?token=${token}`
  const expires_at = new Date(now.getTime() + LIFETIME_MS).toISOString()
  await cancelMails(ctx, `change_email:${user.user_id}`)
  await requireRoomInMailbox(ctx, 'change_email', email)
  const email_sent = await enqueueMail(ctx, `change_email:${user.user_id}:${sha256(token)}`, {
    to: email,
    subject: 'Confirm your new e-mail address',
    ...mailWithButton({
      heading: 'Confirm your new e-mail address',
      lines: ['Somebody, hopefully you, wants to use this address for a Knowledge Vault account.'],
      button: { label: 'Confirm', url },
      footer: [
        'The link works once, for 24 hours, until ',
        localTime(languageOf(user), expires_at),
        '. If it was not you, ignore this mail; nothing has changed.',
      ],
    }),
  })
  await putEmailChange(ctx.db, {
    user_id: user.user_id,
    token_hash: sha256(token),
    email,
    email_normal: normalEmail(email),
    mailed: email_sent ? 1 : 0,
    created_at: now.toISOString(),
    expires_at,
  })
  await audit(ctx, {
    action: 'account.email_change_asked',
    subject: { type: 'user', id: user.user_id },
    details: { email },
  })
  // The caller must not see a mailed link: reading the mail is the proof.
  return { pending_email: email, email_sent, confirm_url: email_sent ? null : url, expires_at }
}

export const changeEmail = capability({
  name: 'account.change_email',
  summary: 'Change your e-mail address; it is yours once it is confirmed at the new address',
  description:
    'Needs current_password, or a sign-in within the last 10 minutes. Until the link in the mail is used, nothing changes. Sessions, keys and apps stay. A newer change replaces an older one.',
  scopes: ['account'],
  rest: ['POST /api/v1/auth/email'],
  limit: 'auth',
  // Checking a password must not happen in a transaction. Repeating the call only makes a newer link.
  idempotency: 'none',
  errors: [401, 409, 429],
  input: z
    .object({ email: Email, current_password: z.string().max(1000).optional() })
    .meta({ id: 'EmailChange' }),
  output: EmailChangeResponse,
  run: async (ctx, { email, current_password }) => {
    limitMassMails(ctx)
    const user = await requireUser(ctx, ctx.viewer.userId)
    await requireRecentProof(ctx, user, current_password)
    return inTx(ctx, async (ctx) => {
      const present = await requireUser(ctx, user.user_id)
      if (present.email === email)
        throw conflict('email_unchanged', 'This is already the e-mail address of your account.')
      const holder = await findUserByEmail(ctx.db, email)
      if (holder && holder.user_id !== user.user_id) throw emailTakenMeanwhile()
      return begin(ctx, present, email)
    })
  },
})

export const cancelEmailChange = capability({
  name: 'account.cancel_email_change',
  summary: 'Cancel a change of the e-mail address that is not confirmed yet; its link stops working',
  scopes: ['account'],
  rest: ['DELETE /api/v1/auth/email'],
  status: 204,
  input: z.object({}),
  output: z.void(),
  run: (ctx) =>
    inTx(ctx, async (ctx) => {
      await dropEmailChange(ctx.db, ctx.viewer.userId)
      await cancelMails(ctx, `change_email:${ctx.viewer.userId}`)
    }),
})

/** Unproven addresses get no mail: a stranger could register one repeatedly and flood that mailbox. */
async function tellOldAddress(ctx: Ctx, user: UsersTable, newEmail: string): Promise<void> {
  if (!user.email) return
  if (user.email_verified !== 1 && !(await hasRoomInMailbox(ctx, 'email_changed', user.email))) return
  const heading = 'The e-mail address of your account has changed'
  await enqueueMail(ctx, `email_changed:${user.user_id}:${ctx.requestId}`, {
    to: user.email,
    subject: heading,
    ...mailWithButton({
      heading,
      lines: [`Your Knowledge Vault account is now at ${newEmail}. Mails no longer come here.`],
      button: { label: 'Write to support', url: `${ctx.config.baseUrl}/help` },
      footer: 'If it was not you, write to support at once.',
    }),
  })
}

async function confirmEmailChange(ctx: Ctx, token: string): Promise<boolean> {
  const now = ctx.now().toISOString()
  const change = await takeEmailChange(ctx.db, sha256(token), now)
  if (!change) return false
  const user = await requireUser(ctx, change.user_id)
  const holder = await findUserByEmail(ctx.db, change.email)
  if (holder && holder.user_id !== user.user_id) throw emailTakenMeanwhile()
  await keepLeftAddress(ctx, user)
  await updateUser(ctx.db, user.user_id, {
    email: change.email,
    email_normal: change.email_normal,
    email_verified: change.mailed,
    updated_at: now,
  })
  if (change.mailed === 1) await bookWaitingBonuses(ctx, user.user_id)
  // Links that were sent to the old address stop working.
  for (const purpose of ['verify_email', 'reset_password'] as const) {
    await dropEmailTokens(ctx.db, user.user_id, purpose)
    await cancelMails(ctx, `${purpose}:${user.user_id}`)
  }
  await tellOldAddress(ctx, user, change.email)
  await audit(ctx, {
    action: 'account.email_changed',
    subject: { type: 'user', id: user.user_id },
    actorId: user.user_id,
    details: { from: user.email, to: change.email },
  })
  return true
}

const HOUR_MS = 3_600_000
const LINK_LIFETIME_MS = { reset_password: HOUR_MS, verify_email: 7 * 24 * HOUR_MS }
const CONFIRMATIONS_A_MINUTE = 3

type Issued = { token: string; expires_at: string }

async function issueToken(ctx: Ctx, userId: string, purpose: EmailTokensTable['purpose']): Promise<Issued> {
  const token = randomToken()
  const now = ctx.now()
  const expires_at = new Date(now.getTime() + LINK_LIFETIME_MS[purpose]).toISOString()
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

/** Warns that a stranger who registered the address first may have added things to the account. */
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
        // Otherwise a former owner of the address could come back with their own Google account.
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

/** Prevents an attacker from registering an address and waiting until its owner clicks the link. */
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
      // Two accounts confirmed the same new address at the same moment.
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

export const RESET_JOB = 'password-resets'
const ASKED_A_MINUTE = 5
/** Delay in ms until the look-up, so that every address gets its answer equally fast (timing attack). */
const LOOK_AFTER_MS = 50
const BATCH = 20
const RESETS: Queue<'reset_requests'> = { table: 'reset_requests', order: 'request_id' }
/** Limit of valid links; a stranger's request must not end a link that the owner is about to use. */
const LINKS_ALIVE = 3
const LINK_SPARED_MS = 10 * 60_000
/** Age in ms of the newest link before a full mailbox gets another one, so that one is always valid. */
const LINK_FOLLOWED_MS = 50 * 60_000

export const requestPasswordReset = capability({
  name: 'account.request_reset',
  summary: 'Mail a link for choosing a new password',
  description:
    'Answers the same, in the same time, whether or not the address has an account. The last three links work.',
  scopes: 'public',
  rest: ['POST /api/v1/auth/password/reset-request'],
  limit: 'auth',
  errors: [429],
  input: z.object({ email: Email }).meta({ id: 'PasswordResetRequest' }),
  output: z.object({ status: z.literal('sent_if_known') }).meta({ id: 'PasswordResetRequested' }),
  run: async (ctx, { email }) => {
    const address = normalEmail(email)
    if (ctx.config.rateLimit) {
      const asked = ctx.limits.hit(`reset:${ctx.ip}:${address}`, ASKED_A_MINUTE)
      if (asked.exceeded) throw rateLimited(asked, 'Too many tries for this e-mail address.')
    }
    // Without mail nobody would see the link; the operator makes one with `kvault admin reset-link`.
    if (ctx.adapters.mail)
      await inTx(ctx, async (ctx) => {
        const created_at = ctx.now().toISOString()
        await insertResetRequest(ctx.db, { request_id: newId(), email_normal: address, created_at })
        ctx.afterCommit(() => void setTimeout(() => ctx.wakeups.emit(RESET_JOB), LOOK_AFTER_MS).unref())
      })
    return { status: 'sent_if_known' as const }
  },
})

const mailKey = (userId: string, tokenHash: string) => `reset_password:${userId}:${tokenHash}`

/** Makes room for one more link; returns false if the mailed links are recent enough to use. */
async function makeRoom(ctx: Ctx, userId: string, address: string): Promise<boolean> {
  const now = ctx.now()
  const live = await liveResetTokens(ctx.db, userId, now.toISOString())
  const isYounger = (at: number, ms: number) => {
    const link = live[at]
    return link !== undefined && now.getTime() - Date.parse(link.created_at) < ms
  }
  if (isYounger(LINKS_ALIVE - 1, LINK_SPARED_MS)) return false
  if (isYounger(0, LINK_FOLLOWED_MS) && !(await hasRoomInMailbox(ctx, 'reset_password', address)))
    return false
  for (const { token_hash } of live.slice(LINKS_ALIVE - 1)) {
    await deleteEmailToken(ctx.db, token_hash)
    await cancelMail(ctx, mailKey(userId, token_hash))
  }
  return true
}

async function sendResetMail(ctx: Ctx, user: UsersTable): Promise<void> {
  if (!user.email || !(await makeRoom(ctx, user.user_id, user.email))) return
  const { token, url, expires_at } = await newResetLink(ctx, user.user_id)
  const mail = mailWithButton({
    heading: 'Choose a new password',
    lines: [
      'Somebody asked to reset the password of the Knowledge Vault account with this address.',
      'A new password ends every session, API key and connected app of the account.',
    ],
    button: { label: 'Choose a new password', url },
    footer: [
      'The link works once, for one hour, until ',
      localTime(languageOf(user), expires_at),
      '. If it was not you, ignore this mail; nothing has changed.',
    ],
  })
  await enqueueMail(ctx, mailKey(user.user_id, sha256(token)), {
    to: user.email,
    subject: 'Choose a new password',
    ...mail,
  })
}

type ResetLink = { token: string; url: string; expires_at: string }

export async function newResetLink(ctx: Ctx, userId: string): Promise<ResetLink> {
  const { token, expires_at } = await issueToken(ctx, userId, 'reset_password')
  return { token, expires_at, url: `${ctx.config.baseUrl}/reset?token=${token}` }
}

export async function answerResetRequests(ctx: Ctx, stopping: AbortSignal): Promise<void> {
  const next = (limit: number) => waiting(ctx.db, RESETS, limit)
  await inBatches({ size: BATCH, stopping }, next, (requests) =>
    inTx(ctx, async (ctx) => {
      const addresses = new Set<string>()
      for (const request of requests)
        if (await take(ctx.db, RESETS, request)) addresses.add(request.email_normal)
      for (const address of addresses) {
        const user = await findUserByEmail(ctx.db, address)
        if (user) await sendResetMail(ctx, user)
      }
    }),
  )
}
