/**
 * Records which cards of others a person's agents have read. The records are kept for 30 days, so that the person can be
 * told when such a card is withdrawn. There is one row for each person and card.
 */
import { type Ctx, inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { DAY_MS } from '../../core/day.ts'
import type { Database } from '../../db/db.ts'
import { dropReads, keepReads, keepTold, type Read, withdrawnCards } from './card-reads.store.ts'

export const READS_JOB = 'card-reads'
const KEPT_DAYS = 30
/** A person who is away can be told about a withdrawal for this long. */
const TOLD_DAYS = 90
/** The same read is written again no sooner than this. */
const AGAIN_MS = DAY_MS / 2
const MOST_WAITING = 5000
const MOST_REMEMBERED = 50_000

/**
 * Reads wait in memory for a second: a search stays a read, and many searches are one write. An orderly end writes them;
 * what a process that is killed has not written is not known.
 */
type Waiting = { reads: Map<string, Read>; written: Map<string, number>; writing: Promise<void> }
const WAITING = new WeakMap<Database, Waiting>()

function waitingOf(database: Database): Waiting {
  const known = WAITING.get(database)
  if (known) return known
  const made: Waiting = { reads: new Map(), written: new Map(), writing: Promise.resolve() }
  WAITING.set(database, made)
  return made
}

type Shown = { card_id: string; owner_id?: string }

/** Notes that the viewer's agent has read these cards. A browser session is a person, not an agent. */
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

/** The job, each second, and at the end of the process: writes what waits, after what is being written already. */
export function keepWaitingReads(ctx: Ctx): Promise<void> {
  const waiting = waitingOf(ctx.database)
  waiting.writing = waiting.writing.catch(() => {}).then(() => writeReads(ctx, waiting))
  return waiting.writing
}

async function writeReads(ctx: Ctx, waiting: Waiting): Promise<void> {
  const { reads } = waiting
  waiting.reads = new Map()
  // Sorted by key, so that two processes lock rows in the same order and cannot deadlock.
  const entries = [...reads.entries()].sort(([a], [b]) => (a < b ? -1 : 1))
  for (let from = 0; from < entries.length; from += MOST_WAITING) {
    const some = entries.slice(from, from + MOST_WAITING).map(([, read]) => read)
    try {
      await inTx(ctx, (ctx) => keepReads(ctx.db, some), SELF_GUARDED)
    } catch (error) {
      waitAgain(waiting, entries.slice(from))
      throw error
    }
  }
}

/**
 * Reads that could not be written wait for the next time. While a full disk takes nothing they must not fill the memory, so
 * there is room for some; of the others, the next read is noted.
 */
function waitAgain({ reads, written }: Waiting, entries: readonly [string, Read][]): void {
  for (const [key, read] of entries) {
    if (reads.has(key)) continue
    if (reads.size < MOST_WAITING / 2) reads.set(key, read)
    else written.delete(key)
  }
}

export type Withdrawn = Awaited<ReturnType<typeof withdrawnCards>>[number]

/** Cards that were withdrawn after the viewer's agents read them. Agents are told once in each project. */
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
      if (withdrawn.length === 0) return []
      const told = await keepTold(
        ctx.db,
        { userId, projectKey, now: ctx.now().toISOString() },
        withdrawn.map((row) => row.card_id),
      )
      return withdrawn.filter((row) => told.has(row.card_id))
    },
    SELF_GUARDED,
  )
}

/** Housekeeping: deletes reads and notes of withdrawals that are too old. */
export async function dropOldReads(ctx: Ctx): Promise<void> {
  const daysAgo = (days: number) => new Date(ctx.now().getTime() - days * DAY_MS).toISOString()
  await inTx(ctx, (ctx) => dropReads(ctx.db, daysAgo(KEPT_DAYS), daysAgo(TOLD_DAYS)))
}
