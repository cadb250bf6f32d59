import { type Ctx, contextFor, type Services } from './core/context.ts'
import { dropOldIdempotencyKeys } from './core/idempotency.ts'
import { jobFailures, logFailure } from './core/log.ts'
import { EMBEDDINGS_JOB, makeVectors } from './embeddings/index.ts'
import { dropLeftovers } from './features/accounts/index.ts'
import { backUpOnSchedule } from './features/backup/index.ts'
import { endPlans, keepDevelopmentBooks } from './features/billing/index.ts'
import {
  dropLooseImages,
  dropOldReads,
  dropOldRecalls,
  keepOpened,
  keepWaitingReads,
  OPENED_JOB,
  purgeDeletedCards,
  READS_JOB,
  REINDEX_JOB,
  reindexStale,
  reviewSharedCards,
} from './features/cards/index.ts'
import { dropOldLeftAddresses, reconcileAtNight } from './features/credits/index.ts'
import {
  answerResetRequests,
  dropEndedAccess,
  dropOAuthLeftovers,
  dropOldFailures,
  RESET_JOB,
} from './features/identity/index.ts'
import { dropOldNotices, mailTeams, teamMailNow } from './features/inbox/index.ts'
import { makeDueSnapshot } from './features/library/index.ts'
import { MAIL_JOB, sendDueMails, tidyOutbox } from './features/mail/index.ts'
import { COMMITS_JOB, eventVectors, learnCommits, MINING_JOB } from './features/memory/index.ts'
import { dropOldDrafts, mineDueSessions } from './features/mining/index.ts'
import { noticeMailNow } from './features/notices/index.ts'
import { cardVectors, dropOldMissedSearches } from './features/search/index.ts'
import { dropOldAttachments, dropOldConversations, dropOrphanedUploads } from './features/support/index.ts'
import {
  feedbackMailNow,
  mailFeedback,
  readMissingCites,
  refreshAllTrust,
  refreshDueTrust,
  tellOwners,
} from './features/trust/index.ts'
import { maintainIndex } from './search-index/index.ts'

export type Job = {
  name: string
  everyMs: number
  /** Every process runs every job, so each job must be safe when several processes run it at once. */
  run: (ctx: Ctx, stopping: AbortSignal) => Promise<unknown>
  /** Runs the job once more at an orderly shutdown, after the last request, to write what waits in memory. */
  atEnd?: true
  /** How many executions may run at once; 1 by default. One that hangs does not block the others. */
  atOnce?: number
}

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** Sends due mails, and checks waiting mails whose reader may have unsubscribed. */
export const sendMails = (ctx: Ctx, stopping: AbortSignal): Promise<void> =>
  sendDueMails(ctx, stopping, {
    team: teamMailNow,
    feedback: feedbackMailNow,
    notice: noticeMailNow(1),
    workspace_deleted: noticeMailNow(2),
  })

const JOBS: readonly Job[] = [
  { name: 'server-settings', everyMs: 2 * SECOND_MS, run: ({ serverSettings }) => serverSettings.refresh() },
  { name: 'idempotency-keys', everyMs: HOUR_MS, run: dropOldIdempotencyKeys },
  { name: 'development-payments', everyMs: MINUTE_MS, run: keepDevelopmentBooks },
  { name: 'ended-plans', everyMs: 10 * MINUTE_MS, run: endPlans },
  { name: 'orphaned-uploads', everyMs: HOUR_MS, run: dropOrphanedUploads },
  { name: 'old-attachments', everyMs: HOUR_MS, run: dropOldAttachments },
  { name: 'support-conversations', everyMs: MINUTE_MS, run: dropOldConversations },
  { name: 'oauth-leftovers', everyMs: HOUR_MS, run: dropOAuthLeftovers },
  { name: 'ended-access', everyMs: HOUR_MS, run: dropEndedAccess },
  { name: 'loose-images', everyMs: HOUR_MS, run: dropLooseImages },
  { name: 'deleted-cards', everyMs: HOUR_MS, run: purgeDeletedCards },
  // Some mail servers accept at most three connections per client.
  { name: MAIL_JOB, everyMs: 10_000, run: sendMails, atOnce: 3 },
  { name: 'feedback-mails', everyMs: 10 * MINUTE_MS, run: mailFeedback },
  { name: 'old-mails', everyMs: HOUR_MS, run: tidyOutbox },
  { name: RESET_JOB, everyMs: 10_000, run: answerResetRequests },
  { name: 'old-notices', everyMs: HOUR_MS, run: dropOldNotices },
  { name: 'old-missed-searches', everyMs: HOUR_MS, run: dropOldMissedSearches },
  { name: 'team-mails', everyMs: HOUR_MS, run: mailTeams },
  { name: READS_JOB, everyMs: SECOND_MS, run: keepWaitingReads, atEnd: true },
  { name: OPENED_JOB, everyMs: SECOND_MS, run: keepOpened, atEnd: true },
  { name: 'old-card-reads', everyMs: HOUR_MS, run: dropOldReads },
  { name: 'old-recalls', everyMs: HOUR_MS, run: dropOldRecalls },
  { name: COMMITS_JOB, everyMs: MINUTE_MS, run: learnCommits },
  { name: MINING_JOB, everyMs: MINUTE_MS, run: mineDueSessions },
  { name: 'old-drafts', everyMs: HOUR_MS, run: dropOldDrafts },
  { name: 'old-login-failures', everyMs: HOUR_MS, run: dropOldFailures },
  { name: 'deleted-accounts', everyMs: 10 * MINUTE_MS, run: dropLeftovers },
  { name: 'left-addresses', everyMs: HOUR_MS, run: dropOldLeftAddresses },
  { name: 'review-notices', everyMs: 24 * HOUR_MS, run: tellOwners },
  { name: 'missing-cites', everyMs: MINUTE_MS, run: readMissingCites },
  { name: 'due-trust', everyMs: 10_000, run: refreshDueTrust },
  { name: 'all-trust', everyMs: 24 * HOUR_MS, run: refreshAllTrust },
  { name: 'search-index', everyMs: SECOND_MS, run: maintainIndex },
  { name: REINDEX_JOB, everyMs: MINUTE_MS, run: reindexStale },
  {
    name: EMBEDDINGS_JOB,
    everyMs: 5 * SECOND_MS,
    run: (ctx, stopping) => makeVectors(ctx, [cardVectors, eventVectors], stopping),
  },
  { name: 'unreviewed-cards', everyMs: MINUTE_MS, run: reviewSharedCards },
  { name: 'ledger', everyMs: HOUR_MS, run: reconcileAtNight },
  { name: 'library-snapshot', everyMs: 5 * MINUTE_MS, run: makeDueSnapshot },
  { name: 'backup', everyMs: MINUTE_MS, run: backUpOnSchedule },
]

/** A server that restarts daily must still run daily jobs; the delay keeps them off the first requests. */
const SOON_MS = 5 * MINUTE_MS
const firstWaitMs = (everyMs: number): number => Math.min(everyMs, SOON_MS * (1 + Math.random()))

export function startJobs(services: Services, jobs: readonly Job[] = JOBS): () => Promise<void> {
  const stopping = new AbortController()
  const executions = jobs.flatMap((job) => Array<Job>(job.atOnce ?? 1).fill(job))
  const stops = executions.map((job) => startJob(services, job, stopping.signal))
  return async () => {
    stopping.abort()
    await Promise.all(stops.map((stop) => stop()))
  }
}

function startJob(services: Services, job: Job, stopping: AbortSignal): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let wokenMeanwhile = false
  jobFailures.inc({ job: job.name }, 0)

  const run = async () => {
    try {
      await job.run(contextFor(services), stopping)
    } catch (error) {
      jobFailures.inc({ job: job.name })
      logFailure(services, error, { message: 'a job failed', details: { job: job.name } })
    }
  }
  const runNow = () => {
    wokenMeanwhile = running !== undefined
    if (wokenMeanwhile || stopping.aborted) return
    clearTimeout(timer)
    running = run().then(() => {
      running = undefined
      if (wokenMeanwhile) runNow()
      else schedule(job.everyMs)
    })
  }
  const schedule = (waitMs: number) => {
    if (!stopping.aborted) timer = setTimeout(runNow, waitMs).unref()
  }
  services.wakeups.on(job.name, runNow)
  schedule(firstWaitMs(job.everyMs))

  return async () => {
    services.wakeups.off(job.name, runNow)
    clearTimeout(timer)
    await running
    if (job.atEnd) await run()
  }
}
