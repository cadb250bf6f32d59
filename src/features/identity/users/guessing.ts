import type { Ctx } from '../../../core/context.ts'
import { inTx } from '../../../core/context.ts'
import { rateLimited } from '../../../core/errors.ts'
import { sha256 } from '../../../core/secrets.ts'

/** People mistype a few times. After that, each further failure doubles the wait. */
const FREE_FAILURES = 5
/** Many people may share a host. It has more free failures, and one of them is forgiven each minute. */
const FREE_FAILURES_OF_HOST = 50
/** A host's failures are kept as the seconds until they are forgiven, so that no part of a minute is lost at the next one. */
const FORGIVEN_AFTER_SECONDS = 60
const MAX_WAIT_SECONDS = 900
const FORGET_AFTER_MS = 24 * 3_600_000
const LOGINS_PER_EMAIL_A_MINUTE = 5

/**
 * Failures count by host, and by address and host together. Never by the address alone: a stranger who fails on purpose
 * would keep its owner out.
 */
const byAddress = (ctx: Ctx, email: string) => `email:${sha256(`${email}\n${ctx.ip}`)}`
const byHost = (ctx: Ctx) => `ip:${sha256(ctx.ip)}`

type Row = { subject: string; failures: number; last_failure_at: string }

/** What is left of the stored number. That of a host would otherwise never end where somebody mistypes every day. */
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
  // One that lies ahead by more than the clocks of two machines differ was dated by a wrong clock.
  const isDatedWrong = since < -MAX_WAIT_SECONDS * 1000
  const beyond = failuresBeyond(ctx, row)
  if (beyond < 0 || since > FORGET_AFTER_MS || isDatedWrong) return 0
  const wait = Math.min(MAX_WAIT_SECONDS, 2 ** Math.min(20, beyond))
  return Math.ceil(wait - since / 1000)
}

const findFailures = (ctx: Ctx, subjects: readonly string[]): Promise<Row[]> =>
  ctx.db.selectFrom('login_failures').selectAll().where('subject', 'in', subjects).execute()

/** Refuses a try that comes too soon after failed ones from this host. */
export async function holdGuessers(ctx: Ctx, email: string): Promise<void> {
  if (!ctx.config.rateLimit) return
  const perMinute = ctx.limits.hit(`email:${ctx.ip}:${email}`, LOGINS_PER_EMAIL_A_MINUTE)
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

/** A success clears the address, not the host: one right guess must not buy a host new tries. */
export async function forgetFailures(ctx: Ctx, email: string): Promise<void> {
  await ctx.db.deleteFrom('login_failures').where('subject', '=', byAddress(ctx, email)).execute()
}

/** Housekeeping: failures that no longer count. */
export async function dropOldFailures(ctx: Ctx): Promise<void> {
  const before = new Date(ctx.now().getTime() - FORGET_AFTER_MS).toISOString()
  await inTx(ctx, (ctx) =>
    ctx.db.deleteFrom('login_failures').where('last_failure_at', '<', before).execute(),
  )
}
