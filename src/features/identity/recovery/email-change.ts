import { z } from 'zod'
import { capability } from '../../../core/capability.ts'
import { type Ctx, inTx, type UserCtx } from '../../../core/context.ts'
import { conflict, rateLimited } from '../../../core/errors.ts'
import { localTime } from '../../../core/language.ts'
import { Email, normalEmail, Time } from '../../../core/schemas.ts'
import { randomToken, sha256 } from '../../../core/secrets.ts'
import type { UsersTable } from '../../../db/tables/accounts.ts'
import { audit } from '../../audit/audit.ts'
import { keepLeftAddress } from '../../credits/left-addresses.ts'
import { bookWaitingBonuses } from '../../invite-codes/invite-codes.ts'
import { cancelMails, enqueueMail, hasRoomInMailbox, requireRoomInMailbox } from '../../mail/outbox.ts'
import { mailWithButton } from '../../mail/template.ts'
import { requireRecentProof } from '../credentials/recent-sign-in.ts'
import { dropEmailChange, putEmailChange, takeEmailChange } from '../users/email-change.store.ts'
import { languageOf } from '../users/user-settings.ts'
import { dropEmailTokens, findUserByEmail, updateUser } from '../users/users.store.ts'
import { requireUser } from '../users/users.ts'

const LIFETIME_MS = 24 * 3_600_000
/** A limit, because the mail goes to any address that the caller names. */
const REQUESTS_A_MINUTE = 5

export const emailTakenMeanwhile = () => conflict('email_taken', 'Another account has this e-mail address.')

function holdMassMailers(ctx: UserCtx): void {
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
  // A password is checked, which must not happen inside a transaction; doing it twice only makes a newer link.
  idempotency: 'none',
  errors: [401, 409, 429],
  input: z
    .object({ email: Email, current_password: z.string().max(1000).optional() })
    .meta({ id: 'EmailChange' }),
  output: EmailChangeResponse,
  run: async (ctx, { email, current_password }) => {
    holdMassMailers(ctx)
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

/**
 * The old address hears of it, so that its owner can act if it was somebody else. One that nobody has proved may be a
 * stranger's: whoever registers it and moves on, again and again, must not fill that mailbox.
 */
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

/** Confirms a new address by its token, in the caller's transaction. False if the token is for something else. */
export async function confirmEmailChange(ctx: Ctx, token: string): Promise<boolean> {
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
