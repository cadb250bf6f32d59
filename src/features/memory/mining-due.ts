import type { Ctx } from '../../core/context.ts'
import { fromJsonOrNull } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import type { MiningDueTable } from '../../db/tables/mining.ts'
import { type Activity, activityOf } from './activity.ts'
import type { EventRow } from './events.store.ts'
import type { ProjectRef } from './partitions.store.ts'
import { turnParts } from './turn-content.ts'

/** The name of the job that mines sessions. A turn with commands starts it. */
export const MINING_JOB = 'mining'

export type DueSession = Pick<MiningDueTable, 'user_id' | 'project_id' | 'session_id' | 'marked_at'>

/** Marks the session of a turn for mining, if the turn has commands. Runs in the transaction of the turn. */
export async function markForMining(
  ctx: Ctx,
  { user_id, project_id, session_id, meta }: EventRow,
): Promise<void> {
  if (session_id === null || activityOf(fromJsonOrNull(meta)) === undefined) return
  const marked_at = ctx.now().toISOString()
  await ctx.db
    .insertInto('mining_due')
    .values({ user_id, project_id, session_id, marked_at })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'project_id', 'session_id']).doUpdateSet({ marked_at }),
    )
    .execute()
  ctx.afterCommit(() => ctx.wakeups.emit(MINING_JOB))
}

export const dueSessions = (db: Db, limit: number): Promise<DueSession[]> =>
  db.selectFrom('mining_due').selectAll().orderBy('marked_at').limit(limit).execute()

/** False if another process has taken it, or if another turn has come since it was read. */
export async function settleSession(
  db: Db,
  { user_id, project_id, session_id, marked_at }: DueSession,
): Promise<boolean> {
  const gone = await db
    .deleteFrom('mining_due')
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .where('session_id', '=', session_id)
    .where('marked_at', '=', marked_at)
    .executeTakeFirst()
  return gone.numDeletedRows > 0n
}

/** For a session that is still to be mined. A newer mark stays. */
export async function markAgain(db: Db, session: DueSession): Promise<void> {
  const { user_id, project_id, session_id, marked_at } = session
  await db
    .insertInto('mining_due')
    .values({ user_id, project_id, session_id, marked_at })
    .onConflict((conflict) => conflict.columns(['user_id', 'project_id', 'session_id']).doNothing())
    .execute()
}

/** For a project that is merged into another one. */
export async function moveDue(db: Db, from: ProjectRef, to: ProjectRef): Promise<void> {
  const due = await db
    .deleteFrom('mining_due')
    .where('user_id', '=', from.user_id)
    .where('project_id', '=', from.project_id)
    .returningAll()
    .execute()
  for (const session of due) await markAgain(db, { ...session, project_id: to.project_id })
}

export type CapturedTurn = {
  message: string
  report: string
  activity: Activity | undefined
  client: string | null
  createdAt: string
}

type Asked = { session: DueSession; since: string; limit: number }

/** The newest turns of a session, in the order of time, and their project. */
export async function turnsOfSession(
  db: Db,
  { session: { user_id, project_id, session_id }, since, limit }: Asked,
): Promise<{ projectKey: string; turns: CapturedTurn[] } | undefined> {
  const project = await db
    .selectFrom('context_projects')
    .select('project_key')
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .executeTakeFirst()
  if (!project) return undefined
  const rows = await db
    .selectFrom('context_events')
    .select(['content', 'meta', 'client', 'created_at'])
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .where('created_at', '>=', since)
    .where('session_id', '=', session_id)
    .where('event_type', '=', 'turn')
    .orderBy('created_at', 'desc')
    .orderBy('event_no', 'desc')
    .limit(limit)
    .execute()
  const turns = rows.reverse().map((row) => {
    const { message, report } = turnParts(row.content)
    const activity = activityOf(fromJsonOrNull(row.meta))
    return {
      message: message ?? '',
      report: report ?? '',
      activity,
      client: row.client,
      createdAt: row.created_at,
    }
  })
  return { projectKey: project.project_key, turns }
}
