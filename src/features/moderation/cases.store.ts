import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../db/db.ts'
import type { Schema } from '../../db/schema.ts'
import type { ModerationCasesTable } from '../../db/tables/moderation.ts'

export type Moderator = { userId: string; isService: boolean }

type Cases = ExpressionBuilder<Schema, 'moderation_cases' | 'workspaces'>

/**
 * Who may look at a case and decide it: moderators of the service where strangers read, admins of the workspace for its own
 * cards, and nobody for a card of their own. A private team is closed to moderators of the service.
 */
function mayModerate(eb: Cases, { userId, isService }: Moderator): Expression<SqlBool> {
  const isAdmin = eb(
    'moderation_cases.workspace_id',
    'in',
    eb
      .selectFrom('memberships')
      .select('memberships.workspace_id')
      .where('memberships.user_id', '=', userId)
      .where('memberships.role', '=', 'admin'),
  )
  return eb.and([
    eb('moderation_cases.owner_id', '!=', userId),
    isService ? eb.or([eb('workspaces.visibility', '!=', 'private'), isAdmin]) : isAdmin,
  ])
}

const casesOf = (db: Db, moderator: Moderator) =>
  db
    .selectFrom('moderation_cases')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'moderation_cases.workspace_id')
    .innerJoin('users as owner', 'owner.user_id', 'moderation_cases.owner_id')
    .leftJoin('users as decider', 'decider.user_id', 'moderation_cases.decided_by')
    .leftJoin('cards', (join) =>
      join.onRef('cards.card_id', '=', 'moderation_cases.card_id').on('cards.deleted_at', 'is', null),
    )
    .where((eb) => mayModerate(eb as unknown as Cases, moderator))

const shown = (db: Db, moderator: Moderator) =>
  casesOf(db, moderator)
    .selectAll('moderation_cases')
    .select((eb) => [
      'workspaces.name as workspace_name',
      'workspaces.visibility',
      'owner.display_name as publisher_name',
      'decider.display_name as decided_by_name',
      'cards.hidden_at',
      'cards.review_status',
      sql<string | null>`substr(cards.title, 1, 300)`.as('title'),
      eb
        .selectFrom('card_reports')
        .select((eb) => eb.fn.countAll<number>().as('reports'))
        .whereRef('card_reports.case_id', '=', 'moderation_cases.case_id')
        .as('reports'),
      banOf(eb as unknown as Cases).as('is_banning'),
    ])

const banOf = (eb: Cases) =>
  eb
    .selectFrom('publishing_bans')
    .select((eb) => eb.fn.countAll<number>().as('bans'))
    .whereRef('publishing_bans.case_id', '=', 'moderation_cases.case_id')
    .where('publishing_bans.lifted_at', 'is', null)

export type CaseRow = Awaited<ReturnType<ReturnType<typeof shown>['execute']>>[number]

export type CaseFilter = { waiting: boolean | undefined; workspaceId: string | undefined }

export async function listCases(
  db: Db,
  moderator: Moderator,
  { waiting, workspaceId }: CaseFilter,
  page: { limit: number; offset: number },
): Promise<{ rows: CaseRow[]; total: number }> {
  const narrowed = <T>(query: T): T => {
    let rest = query as unknown as ReturnType<typeof casesOf>
    if (waiting !== undefined) rest = rest.where('moderation_cases.status', waiting ? '!=' : '=', 'decided')
    if (workspaceId !== undefined) rest = rest.where('moderation_cases.workspace_id', '=', workspaceId)
    return rest as unknown as T
  }
  const { total } = await narrowed(casesOf(db, moderator))
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await narrowed(shown(db, moderator))
    .orderBy('moderation_cases.created_at', 'desc')
    .orderBy('moderation_cases.case_id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  return { rows, total }
}

export const findCase = (db: Db, moderator: Moderator, caseId: string): Promise<CaseRow | undefined> =>
  shown(db, moderator).where('moderation_cases.case_id', '=', caseId).executeTakeFirst()

/** On PostgreSQL two who decide at once wait for each other; SQLite has one writer. */
export async function lockCase(db: Db, caseId: string): Promise<void> {
  await db
    .selectFrom('moderation_cases')
    .select('case_id')
    .where('case_id', '=', caseId)
    .forUpdate()
    .execute()
}

/** All cases of a card, newest first, with whether a ban of each is in force. */
export const casesOfCard = (db: Db, cardId: string) =>
  db
    .selectFrom('moderation_cases')
    .selectAll()
    .select((eb) => banOf(eb as unknown as Cases).as('is_banning'))
    .where('card_id', '=', cardId)
    .orderBy('created_at', 'desc')
    .orderBy('case_id', 'desc')
    .limit(100)
    .execute()

export type OwnCaseRow = Awaited<ReturnType<typeof casesOfCard>>[number]

export const findOwnCase = (db: Db, ownerId: string, caseId: string) =>
  db
    .selectFrom('moderation_cases')
    .selectAll()
    .where('case_id', '=', caseId)
    .where('owner_id', '=', ownerId)
    .executeTakeFirst()

export const waitingCase = (db: Db, cardId: string) =>
  db
    .selectFrom('moderation_cases')
    .selectAll()
    .where('card_id', '=', cardId)
    .where('status', '!=', 'decided')
    .executeTakeFirst()

/** Whether moderators have kept this version of a card: reports alone hide it no more. */
export async function wasKept(db: Db, cardId: string, version: number): Promise<boolean> {
  const row = await db
    .selectFrom('moderation_cases')
    .select('case_id')
    .where('card_id', '=', cardId)
    .where('decision', '=', 'keep')
    .where('decided_version', '=', version)
    .executeTakeFirst()
  return row !== undefined
}

export async function insertCase(db: Db, row: ModerationCasesTable): Promise<void> {
  await db.insertInto('moderation_cases').values(row).execute()
}

export async function updateCase(
  db: Db,
  caseId: string,
  change: Partial<ModerationCasesTable>,
): Promise<void> {
  await db.updateTable('moderation_cases').set(change).where('case_id', '=', caseId).execute()
}

/** What is known about a publisher: where strangers read, and what was decided before. */
export async function publisherOf(db: Db, userId: string) {
  const person = await db
    .selectFrom('users')
    .select(['user_id', 'display_name', 'created_at'])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  const { published } = await db
    .selectFrom('cards')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'cards.workspace_id')
    .select((eb) => eb.fn.countAll<number>().as('published'))
    .where('cards.owner_id', '=', userId)
    .where('cards.status', '=', 'published')
    .where('cards.deleted_at', 'is', null)
    .where('workspaces.visibility', '!=', 'private')
    .executeTakeFirstOrThrow()
  const decisions = await db
    .selectFrom('moderation_cases')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'moderation_cases.workspace_id')
    .select(['moderation_cases.decision', (eb) => eb.fn.countAll<number>().as('times')])
    .where('moderation_cases.owner_id', '=', userId)
    .where('moderation_cases.decision', 'is not', null)
    // What a private team decided is for that team to know.
    .where('workspaces.visibility', '!=', 'private')
    .groupBy('moderation_cases.decision')
    .execute()
  const ban = await db
    .selectFrom('publishing_bans')
    .select('ban_id')
    .where('user_id', '=', userId)
    .where('workspace_id', 'is', null)
    .where('lifted_at', 'is', null)
    .executeTakeFirst()
  const timesOf = (isKept: boolean) =>
    decisions.filter((row) => (row.decision === 'keep') === isKept).reduce((sum, row) => sum + row.times, 0)
  return {
    user_id: person.user_id,
    display_name: person.display_name,
    since: person.created_at,
    published_cards: published,
    kept: timesOf(true),
    hidden_or_removed: timesOf(false),
    is_banned: ban !== undefined,
  }
}

/** Whom a new case waits for: admins of a team, or service admins and moderators by their proved addresses. */
export async function moderatorsFor(
  db: Db,
  workspaceId: string,
  addresses: readonly string[],
): Promise<string[]> {
  const admins = await db
    .selectFrom('memberships')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'admin')
    .limit(50)
    .execute()
  const { visibility } = await db
    .selectFrom('workspaces')
    .select('visibility')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  if (visibility === 'private') return admins.map((row) => row.user_id)
  const named = await db
    .selectFrom('users')
    .select('user_id')
    .where('deleted_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('service_admin', '=', 1),
        addresses.length === 0
          ? sql<boolean>`1 = 0`
          : eb.and([eb('email_verified', '=', 1), eb('email_normal', 'in', addresses)]),
      ]),
    )
    .limit(50)
    .execute()
  return [...new Set([...admins, ...named].map((row) => row.user_id))]
}

/** Cards that only this team has hidden are shown again, and what waits there waits no more. */
export async function endTeamCases(db: Db, workspaceId: string, now: string): Promise<void> {
  const ofTeam = db
    .selectFrom('moderation_cases')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'moderation_cases.workspace_id')
    .select('moderation_cases.card_id')
    .where('moderation_cases.workspace_id', '=', workspaceId)
    .where('workspaces.visibility', '=', 'private')
  await db
    .updateTable('cards')
    .set({ hidden_at: null, updated_at: now })
    .where('hidden_at', 'is not', null)
    .where('card_id', 'in', ofTeam)
    .execute()
  await db
    .updateTable('moderation_cases')
    .set({ status: 'decided', can_appeal: 0, updated_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('status', '!=', 'decided')
    .execute()
}
