/**
 * Which cards of others the agents of a person were shown: kept for 30 days, so that the person can be told when one is
 * withdrawn. One row for a person and a card.
 */
import { type Ctx, inTx, type UserCtx } from '../../core/context.ts'
import type { Database } from '../../db/db.ts'
import { dropReads, keepReads, keepTold, type Read, withdrawnCards } from './card-reads.store.ts'

export const READS_JOB = 'card-reads'
const DAY_MS = 86_400_000
const KEPT_DAYS = 30
/** How long a withdrawal waits for somebody who is away. */
const TOLD_DAYS = 90
/** A read is written again after this time at the earliest. */
const AGAIN_MS = DAY_MS / 2
const MOST_WAITING = 5000
const MOST_REMEMBERED = 50_000

/**
 * Reads wait in memory for a second: a search stays a read, and many searches are one write. An orderly end writes them;
 * what a process that is killed has not written is not known.
 */
type Waiting = { reads: Map<string, Read>; written: Map<string, number> }
const WAITING = new WeakMap<Database, Waiting>()

function waitingOf(database: Database): Waiting {
  const known = WAITING.get(database)
  if (known) return known
  const made: Waiting = { reads: new Map(), written: new Map() }
  WAITING.set(database, made)
  return made
}

type Shown = { card_id: string; owner_id?: string }

/** The viewer's agent has been shown these cards. A browser is no agent. */
export function noteReads(ctx: UserCtx, cards: readonly Shown[]): void {
  const { userId, credential } = ctx.viewer
  if (credential.kind === 'session') return
  const { reads, written } = waitingOf(ctx.database)
  const now = ctx.now()
  for (const { card_id, owner_id } of cards) {
    const key = `${userId} ${card_id}`
    if (owner_id === userId || (written.get(key) ?? 0) > now.getTime() - AGAIN_MS) continue
    reads.set(key, { user_id: userId, card_id, last_at: now.toISOString() })
    if (written.size >= MOST_REMEMBERED) written.clear()
    written.set(key, now.getTime())
  }
  if (reads.size >= MOST_WAITING) ctx.wakeups.emit(READS_JOB)
}

/** The job, each second, and at the end of the process: writes what waits. */
export async function keepWaitingReads(ctx: Ctx): Promise<void> {
  const waiting = waitingOf(ctx.database)
  const { reads } = waiting
  waiting.reads = new Map()
  // In the order of the key, so that two processes never wait for each other.
  const rows = [...reads.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, read]) => read)
  for (let from = 0; from < rows.length; from += MOST_WAITING) {
    const some = rows.slice(from, from + MOST_WAITING)
    await inTx(ctx, (ctx) => keepReads(ctx.db, some), { isolation: 'read committed' })
  }
}

export type Withdrawn = Awaited<ReturnType<typeof withdrawnCards>>[number]

/** What was withdrawn since the viewer's agents were shown it: told to agents, once in each project. */
export async function tellWithdrawn(ctx: UserCtx, projectKey: string, limit: number): Promise<Withdrawn[]> {
  const { userId, credential } = ctx.viewer
  if (credential.kind === 'session') return []
  const since = new Date(ctx.now().getTime() - TOLD_DAYS * DAY_MS).toISOString()
  const asked = { userId, projectKey, since, limit }
  if ((await withdrawnCards(ctx.db, asked)).length === 0) return []
  return inTx(
    ctx,
    async (ctx) => {
      const withdrawn = await withdrawnCards(ctx.db, asked)
      if (withdrawn.length > 0)
        await keepTold(
          ctx.db,
          { userId, projectKey, now: ctx.now().toISOString() },
          withdrawn.map((row) => row.card_id),
        )
      return withdrawn
    },
    { isolation: 'read committed' },
  )
}

/** Housekeeping. */
export async function dropOldReads(ctx: Ctx): Promise<void> {
  const daysAgo = (days: number) => new Date(ctx.now().getTime() - days * DAY_MS).toISOString()
  await inTx(ctx, (ctx) => dropReads(ctx.db, daysAgo(KEPT_DAYS), daysAgo(TOLD_DAYS)))
}
