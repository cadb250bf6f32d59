import { sql } from 'kysely'
import type { Db } from '../../db/db.ts'
import type { CardReportsTable } from '../../db/tables/moderation.ts'
import { isListed, mayRead } from '../cards/visibility.ts'
import type { Bond, Reporter } from './weigh-reports.ts'

/** The viewer id of a reader who is not signed in. The public scope does not use it. */
const NOBODY = ''

/** A card that the reporter may read: any card they can open when signed in, otherwise a card of the public pages. */
export const reportableCard = (db: Db, cardId: string, viewerId: string | null) =>
  db
    .selectFrom('cards')
    .selectAll()
    .where('card_id', '=', cardId)
    .where(viewerId === null ? isListed(NOBODY, 'public') : mayRead(viewerId))
    .executeTakeFirst()

/** Whether strangers read in this workspace. */
export async function isOpenNow(db: Db, workspaceId: string): Promise<boolean> {
  const { visibility } = await db
    .selectFrom('workspaces')
    .select('visibility')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return visibility !== 'private'
}

export async function countAnonymous(db: Db, matterId: string): Promise<number> {
  const { count } = await db
    .selectFrom('card_reports')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('matter_id', '=', matterId)
    .where('user_id', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

export async function isReported(db: Db, matterId: string, reporterKey: string): Promise<boolean> {
  const row = await db
    .selectFrom('card_reports')
    .select('report_id')
    .where('matter_id', '=', matterId)
    .where('reporter_key', '=', reporterKey)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * The last report of a person is the one that counts. One that belongs to another matter stays there: else whoever was
 * dismissed would report once more, and nothing would be held against them.
 */
export async function putReport(db: Db, row: CardReportsTable): Promise<void> {
  const { kind, note, card_version, created_at } = row
  await db
    .updateTable('card_reports')
    .set({ reporter_key: sql<string>`'former:' || report_id` })
    .where('card_id', '=', row.card_id)
    .where('reporter_key', '=', row.reporter_key)
    .where('matter_id', '!=', row.matter_id)
    .execute()
  await db
    .insertInto('card_reports')
    .values(row)
    .onConflict((oc) =>
      oc.columns(['card_id', 'reporter_key']).doUpdateSet({ kind, note, card_version, created_at }),
    )
    .execute()
}

export const reportsOf = (db: Db, matterId: string, limit: number) =>
  db
    .selectFrom('card_reports')
    .selectAll()
    .where('matter_id', '=', matterId)
    .orderBy('created_at', 'desc')
    .orderBy('report_id', 'desc')
    .limit(limit)
    .execute()

export async function firstReportedVersion(db: Db, matterId: string): Promise<number | null> {
  const { first } = await db
    .selectFrom('card_reports')
    .select((eb) => eb.fn.min('card_version').as('first'))
    .where('matter_id', '=', matterId)
    .executeTakeFirstOrThrow()
  return first
}

/** This many reports are more than enough to hide any card. */
const MOST_WEIGHED = 200

const decidedReports = (decision: 'for' | 'against') =>
  sql<number>`(select count(*) from card_reports as former
    join moderation_matters on moderation_matters.matter_id = former.matter_id
    where former.user_id = ${sql.ref('users.user_id')} and moderation_matters.decision is not null
      and moderation_matters.decision ${sql.raw(decision === 'for' ? '<>' : '=')} 'keep')`

/** Those of the people whose cards worked for somebody else. Asked apart: cards and reports are on different nodes of a cluster. */
async function trustedAmong(db: Db, userIds: readonly string[]): Promise<Set<string>> {
  if (userIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('card_verdicts')
    .select('owner_id')
    .distinct()
    .where('owner_id', 'in', userIds)
    .whereRef('user_id', '!=', 'owner_id')
    .where('outcome', '=', 'worked')
    .execute()
  return new Set(rows.map((row) => row.owner_id))
}

/** The people who reported, with everything that decides how much their reports weigh. */
export async function reportersOf(db: Db, matterId: string, everybodyIsProven: boolean): Promise<Reporter[]> {
  const rows = await db
    .selectFrom('card_reports')
    .innerJoin('users', 'users.user_id', 'card_reports.user_id')
    .select([
      'users.user_id',
      'users.created_at',
      'users.email_verified',
      decidedReports('for').as('upheld'),
      decidedReports('against').as('dismissed'),
    ])
    .where('card_reports.matter_id', '=', matterId)
    .where('users.deleted_at', 'is', null)
    .orderBy('users.created_at')
    .limit(MOST_WEIGHED)
    .execute()
  const trusted = await trustedAmong(
    db,
    rows.map((row) => row.user_id),
  )
  return rows.map((row) => ({
    userId: row.user_id,
    since: row.created_at,
    isProven: everybodyIsProven || row.email_verified === 1,
    upheld: row.upheld,
    dismissed: row.dismissed,
    isTrusted: trusted.has(row.user_id),
  }))
}

/** Pairs of these people who share a team, or who praised each other's cards. */
export async function bondsAmong(db: Db, userIds: readonly string[]): Promise<Bond[]> {
  if (userIds.length < 2) return []
  const teams = await db
    .selectFrom('memberships as one')
    .innerJoin('memberships as other', 'other.workspace_id', 'one.workspace_id')
    .select(['one.user_id as a', 'other.user_id as b'])
    .distinct()
    .where('one.user_id', 'in', userIds)
    .where('other.user_id', 'in', userIds)
    .whereRef('one.user_id', '<', 'other.user_id')
    .execute()
  const praise = await db
    .selectFrom('card_verdicts')
    .select(['user_id as a', 'owner_id as b'])
    .distinct()
    .where('user_id', 'in', userIds)
    .where('owner_id', 'in', userIds)
    .whereRef('user_id', '!=', 'owner_id')
    .where('outcome', '=', 'worked')
    .execute()
  return [...teams, ...praise].map(({ a, b }) => ({ a, b }))
}

/** Reports of a person who leaves stay, without their author. */
export async function forgetReporter(db: Db, userId: string): Promise<void> {
  await db
    .updateTable('card_reports')
    .set({ user_id: null, reporter_key: sql<string>`'left:' || report_id` })
    .where('user_id', '=', userId)
    .execute()
}

/** Deletes what an owner wrote to moderators. */
export async function forgetWords(db: Db, ownerId: string): Promise<void> {
  await db
    .updateTable('moderation_matters')
    .set({ ask_note: null, appeal_note: null })
    .where('owner_id', '=', ownerId)
    .execute()
}
