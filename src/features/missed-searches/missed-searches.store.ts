import { byBytes } from '../../db/byte-order.ts'
import type { Db } from '../../db/db.ts'
import type { MissedSearchesTable } from '../../db/tables/team.ts'

/**
 * The one team whose cards a person searches: the one they name, or else their only one. If it could be several, no
 * team learns the words, as they may have been meant for another.
 */
export async function onlyTeamOf(
  db: Db,
  userId: string,
  named: readonly string[],
): Promise<{ workspace_id: string; policy_json: string | null } | undefined> {
  const teams = await db
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'memberships.workspace_id')
    .select(['workspaces.workspace_id', 'workspaces.policy_json'])
    .where('memberships.user_id', '=', userId)
    .where('workspaces.type', '!=', 'personal')
    .$if(named.length > 0, (query) => query.where('workspaces.workspace_id', 'in', named))
    .limit(2)
    .execute()
  return teams.length === 1 ? teams[0] : undefined
}

export async function countUp(db: Db, workspaceId: string, words: string, now: string): Promise<void> {
  await db
    .insertInto('missed_searches')
    .values({ workspace_id: workspaceId, words, times: 1, last_at: now })
    .onConflict((oc) =>
      oc.columns(['workspace_id', 'words']).doUpdateSet((eb) => ({
        times: eb('missed_searches.times', '+', 1),
        last_at: now,
      })),
    )
    .execute()
}

const MOST_DROPPED = 100

/** Keeps the newest `kept` of a workspace. */
export async function dropAllBut(db: Db, workspaceId: string, kept: number): Promise<void> {
  const over = await db
    .selectFrom('missed_searches')
    .select('words')
    .where('workspace_id', '=', workspaceId)
    .orderBy('last_at', 'desc')
    .limit(MOST_DROPPED)
    .offset(kept)
    .execute()
  if (over.length > 0)
    await db
      .deleteFrom('missed_searches')
      .where('workspace_id', '=', workspaceId)
      .where(
        'words',
        'in',
        over.map((row) => row.words),
      )
      .execute()
}

/** From the first to before the second. */
export type Period = { since: string; until: string | undefined }

/** Most often asked for first. */
export const missedIn = (
  db: Db,
  workspaceId: string,
  { since, until }: Period,
  limit: number,
): Promise<MissedSearchesTable[]> =>
  db
    .selectFrom('missed_searches')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('last_at', '>=', since)
    .$if(until !== undefined, (query) => query.where('last_at', '<', until ?? ''))
    .orderBy('times', 'desc')
    .orderBy('last_at', 'desc')
    .orderBy(byBytes(db, 'words'))
    .limit(limit)
    .execute()

export async function deleteOf(db: Db, workspaceId: string): Promise<void> {
  await db.deleteFrom('missed_searches').where('workspace_id', '=', workspaceId).execute()
}

export async function deleteBefore(db: Db, before: string): Promise<void> {
  await db.deleteFrom('missed_searches').where('last_at', '<', before).execute()
}
