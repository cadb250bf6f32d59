import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { sql } from 'kysely'
import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import type { Ctx } from '../../core/context.ts'
import { AppError } from '../../core/errors.ts'
import { VERSION } from '../../core/version.ts'
import { pendingMigrations } from '../../db/migrations/migrate.ts'
import { Check, type CheckResult } from './check.ts'
import { checkMail } from './mail-check.ts'

const startedAt = performance.now()

export const HealthResponse = z
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

export const ReadinessResponse = z
  .object({
    status: z
      .enum(['ready', 'degraded'])
      .describe('degraded: requests work, but something behind them, such as mail, does not'),
    checks: z.object({ database: Check, disk: Check, mail: Check, payments: Check }),
  })
  .meta({ id: 'ReadinessResponse' })

async function failedOr(check: () => Promise<CheckResult>, detail: string): Promise<CheckResult> {
  try {
    return await check()
  } catch {
    return { status: 'failed', detail }
  }
}

const checkDatabase = (ctx: Ctx) =>
  failedOr(async () => {
    await sql`select 1`.execute(ctx.db)
    const pending = await pendingMigrations(ctx.db)
    return pending === 0
      ? { status: 'ok' }
      : { status: 'failed', detail: `${pending} migrations are pending` }
  }, 'The database does not answer')

const checkDisk = (ctx: Ctx) =>
  failedOr(async () => {
    await access(ctx.config.dataDir, constants.W_OK)
    return { status: 'ok' }
  }, 'DATA_DIR is not writable')

export const ready = capability({
  name: 'health.ready',
  summary: 'Whether the service can work: database, disk, mail server and payment configuration',
  description:
    'If the database or the disk fails, the answer is 503. If the mail server does not answer within 2 seconds, it is 200 with status degraded, since requests work and mails wait in the outbox; the mail server is asked at most once a minute.',
  scopes: 'public',
  rest: ['GET /health/ready'],
  errors: [503],
  input: z.object({}),
  output: ReadinessResponse,
  run: async (ctx) => {
    const [database, disk, mail] = await Promise.all([checkDatabase(ctx), checkDisk(ctx), checkMail(ctx)])
    const checks = {
      database,
      disk,
      mail,
      payments: { status: ctx.adapters.payments ? ('ok' as const) : ('not_configured' as const) },
    }
    const failed = Object.entries(checks).filter(([, check]) => check.status === 'failed')
    if (failed.some(([name]) => name !== 'mail'))
      throw new AppError(503, 'unavailable', `Not ready: ${failed.map(([name]) => name).join(', ')}.`, {
        checks,
      })
    return { status: failed.length > 0 ? ('degraded' as const) : ('ready' as const), checks }
  },
})
