import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { AppError } from '../../core/errors.ts'
import { VERSION } from '../../core/version.ts'
import { Check, type CheckResult } from './check.ts'
import { checkDatabase, NO_WRITES } from './database-check.ts'
import { checkDisk, DISK_FULL } from './disk-check.ts'
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
      .describe(
        'degraded: requests are answered, but something behind them does not work, such as mail or writing to a full disk',
      ),
    checks: z.object({ database: Check, disk: Check, mail: Check, payments: Check }),
  })
  .meta({ id: 'ReadinessResponse' })

/** What stops some requests and not all: callers still get answers to the others. */
const isTolerable = (name: string, { detail }: CheckResult) =>
  name === 'mail' || detail === DISK_FULL || detail === NO_WRITES

export const ready = capability({
  name: 'health.ready',
  summary: 'Whether the service can work: database, disk, mail server and payment configuration',
  description:
    'If the database does not answer within 2 seconds, or the data folder is not writable, the answer is 503. If the disk is full, or the database takes no writes, it is 200 with status degraded, since reading goes on. If the mail server does not answer within 2 seconds, it is the same, since requests work and mails wait in the outbox; the mail server is asked at most once a minute.',
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
    if (failed.some(([name, check]) => !isTolerable(name, check)))
      throw new AppError(503, 'unavailable', `Not ready: ${failed.map(([name]) => name).join(', ')}.`, {
        checks,
      })
    return { status: failed.length > 0 ? ('degraded' as const) : ('ready' as const), checks }
  },
})
