import { z } from 'zod'
import { capability } from '../../../core/capability.ts'
import { type Ctx, inTx } from '../../../core/context.ts'
import { rateLimited } from '../../../core/errors.ts'
import { localTime } from '../../../core/language.ts'
import { Email, normalEmail } from '../../../core/schemas.ts'
import { sha256 } from '../../../core/secrets.ts'
import { newId } from '../../../db/ids.ts'
import type { UsersTable } from '../../../db/tables/accounts.ts'
import { cancelMail, enqueueMail, hasRoomInMailbox } from '../../mail/outbox.ts'
import { mailWithButton } from '../../mail/template.ts'
import { languageOf } from '../users/user-settings.ts'
import {
  deleteEmailToken,
  insertResetRequest,
  liveResetTokens,
  takeResetRequests,
} from '../users/users.store.ts'
import { findUserByEmail } from '../users/users.ts'
import { issueToken } from './email-links.ts'

export const RESET_JOB = 'password-resets'
const ASKED_A_MINUTE = 5
/** The look-up starts after the answer, so that the answer takes the same time for every address. */
const LOOK_AFTER_MS = 50
const BATCH = 20
/** Strangers may ask too. That must not end a link that the owner is about to use. */
const LINKS_ALIVE = 3
const LINK_SPARED_MS = 10 * 60_000
/** In a full mailbox a link follows only when the newest is about to end: its owner always has one that works. */
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
    // Without mail nobody would see the link; then the operator makes one with `kvault admin reset-link`.
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

/** Makes room for one more link; false if those that were mailed are recent enough to use one of them. */
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

/** A link that lets its holder choose the password of this account. */
export async function newResetLink(ctx: Ctx, userId: string): Promise<ResetLink> {
  const { token, expires_at } = await issueToken(ctx, userId, 'reset_password')
  return { token, expires_at, url: `${ctx.config.baseUrl}/reset?token=${token}` }
}

/** Sends the mail for each request whose address has an account. Every process does this; each request is taken once. */
export async function answerResetRequests(ctx: Ctx, stopping: AbortSignal): Promise<void> {
  for (let taken = BATCH; taken === BATCH && !stopping.aborted; )
    taken = await inTx(ctx, async (ctx) => {
      const addresses = await takeResetRequests(ctx.db, BATCH)
      for (const address of new Set(addresses)) {
        const user = await findUserByEmail(ctx.db, address)
        if (user) await sendResetMail(ctx, user)
      }
      return addresses.length
    })
}
