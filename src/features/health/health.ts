import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { sql } from 'kysely'
import { z } from 'zod'
import type { MailTransport } from '../../adapters/mail.ts'
import type { Config } from '../../config.ts'
import { capability } from '../../core/capability.ts'
import type { Ctx } from '../../core/context.ts'
import { freeBytes } from '../../core/disk.ts'
import { AppError, forbidden } from '../../core/errors.ts'
import { isOpenDevelopment } from '../../core/own-addresses.ts'
import { VERSION } from '../../core/version.ts'
import type { Db } from '../../db/db.ts'
import { pendingMigrations } from '../../db/migrations/migrate.ts'
import { checkEmbeddings } from '../../embeddings/index.ts'
import { within } from '../../shared/time.ts'

const Check = z.object({
  status: z.enum(['ok', 'failed', 'not_configured']),
  detail: z.string().optional(),
})

type CheckResult = z.input<typeof Check>

const MAX_MS = 2000

/** Does not make the service unready, because reads are still answered. */
export const NO_WRITES = 'The database takes no writes: writing fails, reading goes on'

/** Pending checks. A hanging database gets one check at a time, because each check holds a connection. */
const underWay = new WeakMap<Db, Promise<CheckResult>>()

async function ask({ db, database }: Ctx): Promise<CheckResult> {
  await sql`select 1`.execute(db)
  const pending = await pendingMigrations(db)
  if (pending > 0) return { status: 'failed', detail: `${pending} migrations are pending` }
  return (await database.takesWrites()) ? { status: 'ok' } : { status: 'failed', detail: NO_WRITES }
}

function askOnce(ctx: Ctx): Promise<CheckResult> {
  const known = underWay.get(ctx.db)
  if (known) return known
  const result = ask(ctx).finally(() => underWay.delete(ctx.db))
  underWay.set(ctx.db, result)
  return result
}

/** Checks whether the database answers within two seconds, has the current schema and can be written. */
async function checkDatabase(ctx: Ctx): Promise<CheckResult> {
  try {
    return await within(MAX_MS, askOnce(ctx))
  } catch {
    return { status: 'failed', detail: 'The database does not answer' }
  }
}

/** With less space, a write fails now or soon. */
const FULL_BELOW_MB = 8

/** Does not make the service unready, because reads go on without free space. */
const DISK_FULL = `Less than ${FULL_BELOW_MB} MB are free in DATA_DIR: writing fails, reading goes on`

async function checkDisk({ config: { dataDir } }: Ctx): Promise<CheckResult> {
  try {
    await access(dataDir, constants.W_OK)
    if ((await freeBytes(dataDir)) >= FULL_BELOW_MB * 1024 * 1024) return { status: 'ok' }
    return { status: 'failed', detail: DISK_FULL }
  } catch {
    return { status: 'failed', detail: 'DATA_DIR is not writable' }
  }
}

const ASKED_EVERY_MS = 60_000
const MAX_MAIL_CHECK_MS = 2000

type PendingCheck = { at: number; result: Promise<CheckResult> }

/** Cache by transport: checks within a minute share one answer, even while it is pending. */
const asked = new WeakMap<MailTransport, PendingCheck>()

async function askMailServer(ctx: Ctx, transport: MailTransport): Promise<CheckResult> {
  try {
    await within(MAX_MAIL_CHECK_MS, transport.check())
    return { status: 'ok' }
  } catch (error) {
    // Only logged, because the reason names hosts and ports, which callers must not learn.
    ctx.log.warn({ err: error }, 'the mail server does not answer')
    return { status: 'failed', detail: 'The mail server does not answer; mails wait in the outbox' }
  }
}

function checkMail(ctx: Ctx): Promise<CheckResult> {
  const { mail } = ctx.adapters
  if (!mail) return Promise.resolve({ status: 'not_configured' })
  const now = ctx.now().getTime()
  const known = asked.get(mail)
  // Absolute, because the clock may have been set back.
  if (known && Math.abs(now - known.at) < ASKED_EVERY_MS) return known.result
  const result = askMailServer(ctx, mail)
  asked.set(mail, { at: now, result })
  return result
}

/** Its state is in the database, which does not answer. */
const NOT_ASKED: CheckResult = { status: 'failed', detail: 'The database does not answer' }

const startedAt = performance.now()

const HealthResponse = z
  .object({ status: z.literal('ok'), version: z.string(), uptime_s: z.number() })
  .meta({ id: 'HealthResponse' })

export const health = capability({
  name: 'health.live',
  summary: 'Whether the process is up',
  scopes: 'public',
  rest: ['GET /health'],
  input: z.object({}),
  output: HealthResponse,
  run: async () => ({
    status: 'ok' as const,
    version: VERSION,
    uptime_s: Math.round((performance.now() - startedAt) / 100) / 10,
  }),
})

const ReadinessResponse = z
  .object({
    status: z
      .enum(['ready', 'degraded'])
      .describe(
        'degraded: requests are answered, but something behind them does not work, such as mail or writing to a full disk',
      ),
    checks: z.object({ database: Check, disk: Check, mail: Check, embeddings: Check, payments: Check }),
  })
  .meta({ id: 'ReadinessResponse' })

/** Returns whether a failed check stops only some requests, so that the service stays ready. */
const isTolerable = (name: string, { detail }: CheckResult) =>
  name === 'mail' || name === 'embeddings' || detail === DISK_FULL || detail === NO_WRITES

export const ready = capability({
  name: 'health.ready',
  summary: 'Whether the service can work: database, disk, mail server and payment configuration',
  description:
    'If the database does not answer within 2 seconds, or the data folder is not writable, the answer is 503. If the disk is full, or the database takes no writes, it is 200 with status degraded, since reading goes on. If the mail server does not answer within 2 seconds, it is the same, since requests work and mails wait in the outbox; the mail server is asked at most once a minute. An embeddings endpoint that fails is reported the same way.',
  scopes: 'public',
  rest: ['GET /health/ready'],
  errors: [503],
  input: z.object({}),
  output: ReadinessResponse,
  run: async (ctx) => {
    const [database, disk, mail] = await Promise.all([checkDatabase(ctx), checkDisk(ctx), checkMail(ctx)])
    const embeddings = database.status === 'ok' ? await checkEmbeddings(ctx) : NOT_ASKED
    const checks = {
      database,
      disk,
      mail,
      embeddings,
      payments: { status: ctx.adapters.payments ? ('ok' as const) : ('not_configured' as const) },
    }
    const failed = Object.entries(checks).filter(([, check]) => check.status === 'failed')
    if (failed.some(([name, check]) => !isTolerable(name, check)))
      throw new AppError(503, 'unavailable', `Not ready: ${failed.map(([name]) => name).join(', ')}.`, {
        checks,
      })
    return { status: failed.length > 0 ? ('degraded' as const) : ('ready' as const), checks }
  },
})

const Warning = z.object({ code: z.string(), message: z.string() }).meta({ id: 'ServiceWarning' })

const warningsFor = (config: Config): z.input<typeof Warning>[] =>
  isOpenDevelopment(config)
    ? [
        {
          code: 'open_development',
          message:
            'This server runs in development mode at an address that others can reach: payments are simulated and cost nothing. Set NODE_ENV=production and start it again.',
        },
      ]
    : []

export const readServiceWarnings = capability({
  name: 'service.warnings',
  summary: 'What the operator of this server should fix; service admins only',
  scopes: ['account'],
  rest: ['GET /api/v1/admin/warnings'],
  input: z.object({}),
  output: z.object({ items: z.array(Warning) }).meta({ id: 'ServiceWarnings' }),
  run: async (ctx) => {
    if (!ctx.viewer.isAdmin) throw forbidden('This is for the admins of the service.')
    return { items: warningsFor(ctx.config) }
  },
})
