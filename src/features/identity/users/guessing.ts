import type { Ctx } from '../../../core/context.ts'
import { inTx } from '../../../core/context.ts'
import { rateLimited } from '../../../core/errors.ts'
import { sha256 } from '../../../core/secrets.ts'

/** The first wrong passwords are people; after them each further one doubles the wait. */
const FREE_FAILURES = 5
/** An address can be slowed down by strangers, so its owner never waits long; a host waits longer. */
const MAX_WAIT_SECONDS = { email: 60, ip: 900 }
const FORGET_AFTER_MS = 24 * 3_600_000
const LOGINS_PER_EMAIL_A_MINUTE = 5

type Subject = { kind: 'email' | 'ip'; key: string }

const subjects = (ctx: Ctx, email: string): Subject[] => [
  { kind: 'email', key: `email:${sha256(email)}` },
  { kind: 'ip', key: `ip:${sha256(ctx.ip)}` },
]

function secondsToWait(
  ctx: Ctx,
  kind: Subject['kind'],
  row: { failures: number; last_failure_at: string },
): number {
  const since = ctx.now().getTime() - Date.parse(row.last_failure_at)
  if (row.failures < FREE_FAILURES || since > FORGET_AFTER_MS) return 0
  const wait = Math.min(MAX_WAIT_SECONDS[kind], 2 ** Math.min(20, row.failures - FREE_FAILURES))
  return Math.ceil(wait - since / 1000)
}

/** Refuses a login try that comes too soon after failed ones, by address and by host. */
export async function holdGuessers(ctx: Ctx, email: string): Promise<void> {
  if (!ctx.config.rateLimit) return
  const perMinute = ctx.limits.hit(`email:${email}`, LOGINS_PER_EMAIL_A_MINUTE)
  if (perMinute.exceeded) throw rateLimited(perMinute.resetSeconds, 'Too many tries for this e-mail address.')
  for (const { kind, key } of subjects(ctx, email)) {
    const row = await ctx.db
      .selectFrom('login_failures')
      .selectAll()
      .where('subject', '=', key)
      .executeTakeFirst()
    const wait = row ? secondsToWait(ctx, kind, row) : 0
    if (wait > 0) throw rateLimited(wait, 'Too many failed tries.')
  }
}

export async function recordFailure(ctx: Ctx, email: string): Promise<void> {
  if (!ctx.config.rateLimit) return
  await inTx(ctx, async (ctx) => {
    const now = ctx.now().toISOString()
    for (const { key } of subjects(ctx, email))
      await ctx.db
        .insertInto('login_failures')
        .values({ subject: key, failures: 1, last_failure_at: now })
        .onConflict((conflict) =>
          conflict.column('subject').doUpdateSet((eb) => ({
            failures: eb('login_failures.failures', '+', 1),
            last_failure_at: now,
          })),
        )
        .execute()
  })
}

/** A success clears the address, not the host: one right guess must not buy a host new tries. */
export async function forgetFailures(ctx: Ctx, email: string): Promise<void> {
  await ctx.db
    .deleteFrom('login_failures')
    .where('subject', '=', `email:${sha256(email)}`)
    .execute()
}
