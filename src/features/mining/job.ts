import { type Ctx, contextFor, inTx, type UserCtx } from '../../core/context.ts'
import { DAY_MS } from '../../core/day.ts'
import { AppError } from '../../core/errors.ts'
import { untilAvailable } from '../../core/until-available.ts'
import { flag } from '../../db/columns.ts'
import { newId } from '../../db/ids.ts'
import {
  type DueSession,
  dueSessions,
  markAgain,
  settleSession,
  turnsOfSession,
} from '../memory/mining-due.ts'
import { sessionFrom } from './captured.ts'
import { deleteDraftsBefore, deleteRecoveriesBefore, insertRecovery } from './drafts.store.ts'
import { keepCandidate } from './keep.ts'
import { mine } from './rules/mine.ts'
import type { Recovery } from './rules/pairs.ts'

const SESSIONS_AT_ONCE = 50
/** Of a longer session only the last week is read, and of that the last turns. */
const LOOKS_BACK_MS = 7 * DAY_MS
const MOST_TURNS = 100
const RECOVERIES_KEPT_MS = 365 * DAY_MS

/** The job runs as the owner of the session, so it sees only cards that they may see. */
const asOwner = (ctx: Ctx, userId: string): UserCtx => {
  const viewer = {
    userId,
    scopes: new Set<never>(),
    isAdmin: false,
    credential: { kind: 'session' as const, id: '' },
  }
  return { ...contextFor(ctx, { viewer, requestId: ctx.requestId, ip: '', ifMatch: undefined }), viewer }
}

async function noteRecoveries(
  ctx: UserCtx,
  recoveries: readonly Recovery[],
  at: { projectKey: string; sessionId: string; createdAt: string },
): Promise<void> {
  if (recoveries.length === 0) return
  await inTx(ctx, async (ctx) => {
    for (const { signature, attempts, isLesson } of recoveries)
      await insertRecovery(ctx.db, {
        recovery_id: newId(),
        user_id: ctx.viewer.userId,
        project_key: at.projectKey,
        session_id: at.sessionId,
        signature,
        attempts,
        is_lesson: flag(isLesson),
        created_at: at.createdAt,
      })
  })
}

async function mineSession(ctx: UserCtx, session: DueSession): Promise<void> {
  const since = new Date(ctx.now().getTime() - LOOKS_BACK_MS).toISOString()
  const read = await turnsOfSession(ctx.db, { session, since, limit: MOST_TURNS })
  const last = read?.turns.at(-1)
  if (!read || !last) return
  const { projectKey, turns } = read
  const { candidates, recoveries } = mine(sessionFrom(turns))
  const { session_id: sessionId } = session
  await noteRecoveries(ctx, recoveries, { projectKey, sessionId, createdAt: last.createdAt })
  for (const candidate of candidates)
    try {
      await keepCandidate(ctx, candidate, { projectKey, sessionId, client: last.client })
    } catch (error) {
      // The owner's own writes say that nothing fits any more.
      if (!(error instanceof AppError && error.code === 'storage_full')) throw error
    }
}

/**
 * A session is claimed first, so that two processes do not both mine it. One that makes the rules fail is skipped, and its
 * next turn brings it back. If the database goes away meanwhile, the session is marked again: it may have no next turn.
 */
async function claimAndMine(ctx: Ctx, session: DueSession, stopping: AbortSignal): Promise<void> {
  try {
    if (await inTx(ctx, (ctx) => settleSession(ctx.db, session)))
      await mineSession(asOwner(ctx, session.user_id), session)
  } catch (error) {
    if (ctx.database.isUnavailable(error))
      await untilAvailable(ctx.database, () => inTx(ctx, (ctx) => markAgain(ctx.db, session)), { stopping })
    throw error
  }
}

/** The job: mines sessions with a new turn. */
export async function mineDueSessions(ctx: Ctx, stopping: AbortSignal): Promise<void> {
  for (let full = true; full && !stopping.aborted; ) {
    const due = await dueSessions(ctx.db, SESSIONS_AT_ONCE)
    full = due.length === SESSIONS_AT_ONCE
    for (const session of due) {
      if (stopping.aborted) return
      await claimAndMine(ctx, session, stopping)
    }
  }
}

/** Housekeeping: drops expired drafts, and recoveries that no figure uses any more. */
export const dropOldDrafts = (ctx: Ctx): Promise<void> =>
  inTx(ctx, async (ctx) => {
    const now = ctx.now()
    await deleteDraftsBefore(ctx.db, now.toISOString())
    await deleteRecoveriesBefore(ctx.db, new Date(now.getTime() - RECOVERIES_KEPT_MS).toISOString())
  })
