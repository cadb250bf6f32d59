import { hash, verify } from '@node-rs/argon2'
import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, type PasswordHashing, type Services, type UserCtx } from '../../core/context.ts'
import { sha256 } from '../../core/crypto.ts'
import { AppError, conflict, notAuthenticated, rateLimited } from '../../core/errors.ts'
import { refuseWhileWriting } from '../../db/db.ts'
import type { UsersTable } from '../../db/schema.ts'
import { audit } from '../audit/index.ts'
import { endAccess } from './sessions.ts'
import { dropEmailTokens, requireUser, updateUser } from './users.ts'

export const Password = z.string().min(8).max(200)

/** Hashes passwords with argon2id. `memoryCost` is in KiB, `timeCost` is the number of passes. */
export const argon2id = (work: { memoryCost: number; timeCost: number }): PasswordHashing => ({
  hash: (password) => hash(password, work),
  verify: (hashed, password) => verify(hashed, password),
})

/** 19 MiB and two passes, as OWASP recommends. */
export const HASHING = argon2id({ memoryCost: 19_456, timeCost: 2 })

type Hashing = Pick<Services, 'passwordHashing'>

export async function hashPassword({ passwordHashing }: Hashing, password: string): Promise<string> {
  refuseWhileWriting('Hashing a password')
  return passwordHashing.hash(password)
}

const hashesOfNobody = new WeakMap<PasswordHashing, Promise<string>>()

function hashOfNobody(hashing: Hashing): Promise<string> {
  const known = hashesOfNobody.get(hashing.passwordHashing)
  if (known) return known
  const made = hashPassword(hashing, 'nobody has this password')
  hashesOfNobody.set(hashing.passwordHashing, made)
  return made
}

/** Does the same work for an account that does not exist (timing attack). */
export async function passwordMatches(
  hashing: Hashing,
  storedHash: string | null | undefined,
  password: string,
): Promise<boolean> {
  refuseWhileWriting('Checking a password')
  const hash = storedHash ?? (await hashOfNobody(hashing))
  const matches = await hashing.passwordHashing.verify(hash, password)
  return matches && storedHash != null
}

/** Failures without a wait (brute force). After that, each further failure doubles the wait. */
const FREE_FAILURES = 5
const FREE_FAILURES_OF_HOST = 50
/** A host's failures are stored as the seconds until they are forgiven, so that no part of a minute is lost. */
const FORGIVEN_AFTER_SECONDS = 60
const MAX_WAIT_SECONDS = 900
const FORGET_AFTER_MS = 24 * 3_600_000
const LOGINS_PER_EMAIL_A_MINUTE = 5

/** Never by the address alone: a stranger could fail on purpose and lock its owner out. */
const byAddress = (ctx: Ctx, email: string) => `email:${sha256(`${email}\n${ctx.ip}`)}`
const byHost = (ctx: Ctx) => `ip:${sha256(ctx.ip)}`

type Row = { subject: string; failures: number; last_failure_at: string }

/** Failures of a host decrease with time; otherwise its wait would never end. */
function leftNow(ctx: Ctx, { subject, failures, last_failure_at }: Row): number {
  if (subject !== byHost(ctx)) return failures
  const since = Math.max(0, ctx.now().getTime() - Date.parse(last_failure_at))
  return Math.max(0, failures - Math.floor(since / 1000))
}

const failuresBeyond = (ctx: Ctx, row: Row): number =>
  row.subject === byHost(ctx)
    ? Math.floor(leftNow(ctx, row) / FORGIVEN_AFTER_SECONDS) - FREE_FAILURES_OF_HOST
    : row.failures - FREE_FAILURES

function secondsToWait(ctx: Ctx, row: Row): number {
  const since = ctx.now().getTime() - Date.parse(row.last_failure_at)
  // A failure further in the future than clocks differ was dated by a wrong clock.
  const isDatedWrong = since < -MAX_WAIT_SECONDS * 1000
  const beyond = failuresBeyond(ctx, row)
  if (beyond < 0 || since > FORGET_AFTER_MS || isDatedWrong) return 0
  const wait = Math.min(MAX_WAIT_SECONDS, 2 ** Math.min(20, beyond))
  return Math.ceil(wait - since / 1000)
}

const findFailures = (ctx: Ctx, subjects: readonly string[]): Promise<Row[]> =>
  ctx.db.selectFrom('login_failures').selectAll().where('subject', 'in', subjects).execute()

/** Refuses a try that comes too soon after failed ones from this host (brute force). */
export async function limitGuessers(ctx: Ctx, email: string): Promise<void> {
  if (!ctx.config.rateLimit) return
  const perMinute = await ctx.limits.hitTogether(`email:${ctx.ip}:${email}`, LOGINS_PER_EMAIL_A_MINUTE)
  if (perMinute.exceeded) throw rateLimited(perMinute, 'Too many tries for this e-mail address.')
  const rows = await findFailures(ctx, [byAddress(ctx, email), byHost(ctx)])
  const wait = Math.max(0, ...rows.map((row) => secondsToWait(ctx, row)))
  // After each wait there is one try.
  if (wait > 0) throw rateLimited({ limit: 1, resetSeconds: wait }, 'Too many failed tries.')
}

export async function recordFailure(ctx: Ctx, email: string): Promise<void> {
  if (!ctx.config.rateLimit) return
  await inTx(ctx, async (ctx) => {
    const last_failure_at = ctx.now().toISOString()
    const subjects = [byAddress(ctx, email), byHost(ctx)]
    const before = await findFailures(ctx, subjects)
    for (const subject of subjects) {
      const row = before.find((one) => one.subject === subject)
      const one = subject === byHost(ctx) ? FORGIVEN_AFTER_SECONDS : 1
      const change = { failures: (row ? leftNow(ctx, row) : 0) + one, last_failure_at }
      await ctx.db
        .insertInto('login_failures')
        .values({ subject, ...change })
        .onConflict((conflict) => conflict.column('subject').doUpdateSet(change))
        .execute()
    }
  })
}

/** Clears the failures of the address, not of the host: one right guess must not buy a host new tries. */
export async function forgetFailures(ctx: Ctx, email: string): Promise<void> {
  await ctx.db.deleteFrom('login_failures').where('subject', '=', byAddress(ctx, email)).execute()
}

export async function dropOldFailures(ctx: Ctx): Promise<void> {
  const before = new Date(ctx.now().getTime() - FORGET_AFTER_MS).toISOString()
  await inTx(ctx, (ctx) =>
    ctx.db.deleteFrom('login_failures').where('last_failure_at', '<', before).execute(),
  )
}

const RECENT_MINUTES = 10

const signInAgain = () =>
  new AppError(
    403,
    'recent_sign_in_required',
    `Enter your password to confirm, or sign in again and repeat this within ${RECENT_MINUTES} minutes.`,
  )

async function hasJustSignedIn(ctx: UserCtx): Promise<boolean> {
  const { kind, id } = ctx.viewer.credential
  if (kind !== 'session') return false
  const since = new Date(ctx.now().getTime() - RECENT_MINUTES * 60_000).toISOString()
  const session = await ctx.db
    .selectFrom('sessions')
    .select('session_id')
    .where('session_id', '=', id)
    .where('created_at', '>=', since)
    .executeTakeFirst()
  return session !== undefined
}

/** Prevents a stolen key or an old session from handing over the account. */
export async function requireRecentProof(
  ctx: UserCtx,
  user: UsersTable,
  password: string | undefined,
): Promise<void> {
  if (password === undefined) {
    if (!(await hasJustSignedIn(ctx))) throw signInAgain()
    return
  }
  const address = user.email_normal ?? ''
  await limitGuessers(ctx, address)
  if (!(await passwordMatches(ctx, user.password_hash, password))) {
    await recordFailure(ctx, address)
    throw notAuthenticated('The current password is not right.', 'invalid_credentials')
  }
  await inTx(ctx, (ctx) => forgetFailures(ctx, address))
}

export const changePassword = capability({
  name: 'account.change_password',
  summary: 'Change the password; ends all other sessions, and API keys and connected apps too',
  description:
    'An account made by Google sign-in has no password yet: it leaves current_password out and needs a session that signed in within the last 10 minutes. The credential of this call keeps working.',
  scopes: ['account'],
  rest: ['POST /api/v1/auth/password'],
  status: 204,
  limit: 'auth',
  errors: [403, 409, 429],
  input: z
    .object({
      current_password: z.string().max(1000).optional(),
      new_password: Password,
      end_keys_and_apps: z
        .boolean()
        .default(true)
        .describe('false: API keys and connected apps keep working.'),
    })
    .meta({ id: 'PasswordChange' }),
  output: z.void(),
  prepare: async (ctx, { current_password, new_password }) => {
    const user = await requireUser(ctx, ctx.viewer.userId)
    // An account with a password must send it. Setting the first password needs a recent sign-in.
    await requireRecentProof(ctx, user, user.password_hash === null ? undefined : (current_password ?? ''))
    return { before: user.password_hash, passwordHash: await hashPassword(ctx, new_password) }
  },
  run: (ctx, { end_keys_and_apps }, { before, passwordHash }) =>
    inTx(ctx, async (ctx) => {
      const user = await requireUser(ctx, ctx.viewer.userId)
      if (user.password_hash !== before)
        throw conflict('password_changed', 'The password was changed by another request meanwhile.')
      await updateUser(ctx.db, user.user_id, {
        password_hash: passwordHash,
        updated_at: ctx.now().toISOString(),
      })
      await endAccess(ctx, user.user_id, {
        keysAndApps: end_keys_and_apps,
        except: ctx.viewer.credential,
      })
      await dropEmailTokens(ctx.db, user.user_id, 'reset_password')
      await audit(ctx, {
        action: 'account.password_changed',
        subject: { type: 'user', id: user.user_id },
        details: { end_keys_and_apps },
      })
    }),
})
