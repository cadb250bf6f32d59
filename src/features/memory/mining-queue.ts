import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '../../core/context.ts'
import { fromJsonOrNull } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import type { MiningDueTable } from '../../db/knowledge-schema.ts'
import { putBack, type Queue } from '../../db/queue.ts'
import { turnParts } from '../../shared/memory.ts'
import { freeText, storedTextBytes } from '../storage/index.ts'
import type { EventRow, ProjectRef } from './store.ts'

/** The actions in an exchange, as hooks capture them in `meta.activity`. Mining reads them. */
const Activity = z.object({
  commands: z
    .array(
      z.object({
        command: z.string().max(4000),
        exit_code: z.int().nullish(),
        output: z.string().max(20_000).default(''),
      }),
    )
    .max(100)
    .default([]),
  files: z.array(z.string().max(1000)).max(500).default([]),
  environment: z.record(z.string().max(200), z.string().max(500)).default({}),
})

type Activity = z.output<typeof Activity>

export function activityOf(meta: unknown): Activity | undefined {
  if (typeof meta !== 'object' || meta === null || !('activity' in meta)) return undefined
  const read = Activity.safeParse(meta.activity)
  return read.success && read.data.commands.length > 0 ? read.data : undefined
}

export const MINING_JOB = 'mining'

export const MINING: Queue<'mining_due'> = { table: 'mining_due', order: 'marked_at' }

/** Marks the session of a turn for mining if the turn has commands. Runs in the transaction of the turn. */
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

export async function moveDue(db: Db, from: ProjectRef, to: ProjectRef): Promise<void> {
  const due = await db
    .deleteFrom('mining_due')
    .where('user_id', '=', from.user_id)
    .where('project_id', '=', from.project_id)
    .returningAll()
    .execute()
  for (const session of due) await putBack(db, MINING, { ...session, project_id: to.project_id })
}

export type CapturedTurn = {
  message: string
  report: string
  activity: Activity | undefined
  client: string | null
  createdAt: string
}

type SessionQuery = { session: MiningDueTable; since: string; limit: number }

export async function turnsOfSession(
  db: Db,
  { session: { user_id, project_id, session_id }, since, limit }: SessionQuery,
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

/** Text that is deleted from memory must be deleted from drafts too; an accepted draft stays. */

const keysOf = ({ user_id, project_id }: ProjectRef) =>
  sql`select alias from context_project_aliases where user_id = ${user_id} and project_id = ${project_id}`

const keysOfOthers = ({ user_id, project_id }: ProjectRef) =>
  sql`select alias from context_project_aliases where user_id = ${user_id} and project_id <> ${project_id}`

const sessionsOf = ({ user_id, project_id }: ProjectRef) =>
  sql`select session_id from context_events
    where user_id = ${user_id} and project_id = ${project_id} and session_id is not null`

/** Matches drafts by the project key at the time of mining: one session may cover several projects. */
const isAbout = (project: ProjectRef): RawBuilder<SqlBool> =>
  sql`(project_key in (${keysOf(project)}) or project_key not in (${keysOfOthers(project)}))`

const isOf = (project: ProjectRef): RawBuilder<SqlBool> =>
  sql`(project_key in (${keysOf(project)}) or (session_id in (${sessionsOf(project)}) and ${isAbout(project)}))`

async function removeMined(db: Db, { user_id }: ProjectRef, which: RawBuilder<SqlBool>): Promise<void> {
  const gone = await db
    .deleteFrom('card_drafts')
    .where('user_id', '=', user_id)
    .where('status', '!=', 'accepted')
    .where(which)
    .returning(['user_id', storedTextBytes('card_drafts').as('bytes')])
    .execute()
  await freeText(db, gone)
  await db.deleteFrom('recoveries').where('user_id', '=', user_id).where(which).execute()
}

/** Call this before the keys and events of the project are removed. */
export const removeMinedOf = (db: Db, project: ProjectRef): Promise<void> =>
  removeMined(db, project, isOf(project))

export const removeMinedOfSession = (db: Db, project: ProjectRef, sessionId: string): Promise<void> =>
  removeMined(db, project, sql`(session_id = ${sessionId} and ${isAbout(project)})`)
