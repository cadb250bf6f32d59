import { type Ctx, contextFor, inTx, type UserCtx } from '../../core/context.ts'
import { AppError } from '../../core/errors.ts'
import { flag } from '../../db/columns.ts'
import { untilAvailable } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import type { MiningDueTable } from '../../db/knowledge-schema.ts'
import { inBatches, putBack, take, waiting } from '../../db/queue.ts'
import { type Candidate, mine } from '../../shared/mining.ts'
import type { Recovery } from '../../shared/recoveries.ts'
import type { Session, Step } from '../../shared/session.ts'
import { DAY_MS } from '../../shared/time.ts'
import { type CapturedTurn, MINING, turnsOfSession } from '../memory/index.ts'
import {
  deleteDraftsBefore,
  deleteRecoveriesBefore,
  insertRecovery,
  keepCandidate,
  type Origin,
  setNoDraft,
} from './drafts.ts'

const said = (by: 'person' | 'agent', text: string): Step[] =>
  text === '' ? [] : [{ kind: 'said', by, text }]

const stepsOf = ({ message, report, activity }: CapturedTurn): Step[] => [
  ...said('person', message),
  ...(activity?.commands ?? []).map(
    ({ command, exit_code, output }): Step => ({
      kind: 'command',
      command,
      exitCode: exit_code ?? null,
      output,
    }),
  ),
  ...(activity?.files ?? []).map((file): Step => ({ kind: 'edit', file, isAnytime: true })),
  ...said('agent', report),
]

/** Reading a session blocks the process and happens after each turn, so only the last commands are read. */
const MAX_COMMANDS = 600
const MAX_CHARACTERS = 500_000

function newestOf(turns: readonly CapturedTurn[]): readonly CapturedTurn[] {
  let [commands, characters] = [0, 0]
  const before = turns.findLastIndex(({ message, report, activity }) => {
    commands += activity?.commands.length ?? 0
    characters += message.length + report.length
    for (const { command, output } of activity?.commands ?? []) characters += command.length + output.length
    return commands > MAX_COMMANDS || characters > MAX_CHARACTERS
  })
  return turns.slice(Math.min(before + 1, turns.length - 1))
}

export function sessionFrom(turns: readonly CapturedTurn[]): Session {
  const read = newestOf(turns)
  return {
    steps: read.flatMap(stepsOf),
    environment: Object.assign({}, ...read.map(({ activity }) => activity?.environment ?? {})),
  }
}

const SESSIONS_AT_ONCE = 50
/** Long sessions: only the last week and its last turns are read. */
const LOOKS_BACK_MS = 7 * DAY_MS
const MAX_TURNS = 100
const RECOVERIES_KEPT_MS = 365 * DAY_MS

/** Runs the job as the owner of the session, so that it sees only cards that the owner may see. */
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
    for (const { signature, attempts, isLesson, noDraft } of recoveries)
      await insertRecovery(ctx.db, {
        recovery_id: newId(),
        user_id: ctx.viewer.userId,
        project_key: at.projectKey,
        session_id: at.sessionId,
        signature,
        attempts,
        is_lesson: flag(isLesson),
        no_draft: noDraft,
        created_at: at.createdAt,
      })
  })
}

async function mineSession(ctx: UserCtx, session: MiningDueTable): Promise<void> {
  const since = new Date(ctx.now().getTime() - LOOKS_BACK_MS).toISOString()
  const read = await turnsOfSession(ctx.db, { session, since, limit: MAX_TURNS })
  const last = read?.turns.at(-1)
  if (!read || !last) return
  const { projectKey, turns } = read
  const { candidates, recoveries, signatures } = mine(sessionFrom(turns))
  const { session_id: sessionId } = session
  await noteRecoveries(ctx, recoveries, { projectKey, sessionId, createdAt: last.createdAt })
  for (const candidate of candidates) {
    const kept = await keepIfRoom(ctx, candidate, { projectKey, sessionId, client: last.client })
    // A known error has its draft already, or was decided about.
    if (kept === 'known') continue
    const at = { sessionId, signature: signatures.get(candidate) ?? '' }
    await inTx(ctx, (ctx) => setNoDraft(ctx.db, { userId: ctx.viewer.userId, ...at }, kept))
  }
}

/** Makes a draft and returns null, or returns why none was made. */
async function keepIfRoom(ctx: UserCtx, candidate: Candidate, origin: Origin): Promise<string | null> {
  try {
    const kept = await keepCandidate(ctx, candidate, origin)
    return 'draft' in kept ? null : kept.skipped
  } catch (error) {
    if (error instanceof AppError && error.code === 'storage_full') return error.code
    throw error
  }
}

/** A session on which the rules fail is skipped; after a database failure it is marked again. */
async function claimAndMine(ctx: Ctx, session: MiningDueTable, stopping: AbortSignal): Promise<void> {
  try {
    if (await inTx(ctx, (ctx) => take(ctx.db, MINING, session)))
      await mineSession(asOwner(ctx, session.user_id), session)
  } catch (error) {
    if (ctx.database.isUnavailable(error))
      await untilAvailable(ctx.database, () => inTx(ctx, (ctx) => putBack(ctx.db, MINING, session)), {
        stopping,
      })
    throw error
  }
}

export async function mineDueSessions(ctx: Ctx, stopping: AbortSignal): Promise<void> {
  const due = (limit: number) => waiting(ctx.db, MINING, limit)
  await inBatches({ size: SESSIONS_AT_ONCE, stopping }, due, async (sessions) => {
    for (const session of sessions) if (!stopping.aborted) await claimAndMine(ctx, session, stopping)
  })
}

export const dropOldDrafts = (ctx: Ctx): Promise<void> =>
  inTx(ctx, async (ctx) => {
    const now = ctx.now()
    await deleteDraftsBefore(ctx.db, now.toISOString())
    await deleteRecoveriesBefore(ctx.db, new Date(now.getTime() - RECOVERIES_KEPT_MS).toISOString())
  })
