import type { Ctx, Services } from './core/context.ts'
import { contextFor } from './core/context.ts'
import { dropOldIdempotencyKeys } from './doors/http/idempotency.ts'
import { keepDevelopmentBooks } from './features/billing/development.ts'
import { purgeDeletedCards } from './features/cards/delete.ts'
import { dropOAuthLeftovers } from './features/oauth/grants.ts'
import { dropOrphanedUploads } from './features/support/tickets.ts'

export type Job = {
  name: string
  everyMs: number
  /** Every process runs every job, so each must bear being run by several at once. */
  run: (ctx: Ctx) => Promise<unknown>
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Housekeeping that no request waits for. */
export const JOBS: readonly Job[] = [
  { name: 'idempotency-keys', everyMs: HOUR_MS, run: dropOldIdempotencyKeys },
  { name: 'development-payments', everyMs: MINUTE_MS, run: keepDevelopmentBooks },
  { name: 'orphaned-uploads', everyMs: HOUR_MS, run: dropOrphanedUploads },
  { name: 'oauth-leftovers', everyMs: HOUR_MS, run: dropOAuthLeftovers },
  { name: 'deleted-cards', everyMs: HOUR_MS, run: purgeDeletedCards },
]

/** Runs each job after its interval, one run of a job at a time; the returned function waits for the last ones. */
export function startJobs(services: Services, jobs: readonly Job[] = JOBS): () => Promise<void> {
  const timers = new Set<NodeJS.Timeout>()
  const running = new Set<Promise<unknown>>()
  let stopped = false

  const schedule = (job: Job) => {
    if (stopped) return
    const timer = setTimeout(async () => {
      timers.delete(timer)
      const run = job.run(contextFor(services)).catch((error) => {
        services.log.error({ err: error, job: job.name }, 'a job failed')
      })
      running.add(run)
      await run
      running.delete(run)
      schedule(job)
    }, job.everyMs)
    timer.unref()
    timers.add(timer)
  }
  jobs.forEach(schedule)

  return async () => {
    stopped = true
    for (const timer of timers) clearTimeout(timer)
    await Promise.all(running)
  }
}
