import {
  type Expression,
  type ExpressionBuilder,
  expressionBuilder,
  type Selectable,
  type SqlBool,
  sql,
} from 'kysely'
import type { z } from 'zod'
import { markOf } from '../../core/untrusted-text.ts'
import type { Db } from '../../db/db.ts'
import type { CardsTable, ModerationMattersTable, PublishingBansTable } from '../../db/knowledge-schema.ts'
import type { Schema } from '../../db/schema.ts'
import { isAmongTexts, textList } from '../../db/sql-values.ts'
import { containsInstructions } from '../../review/find-danger.ts'
import { markSuccession } from '../cards/index.ts'
import type { MatterHead, OwnMatter } from './schemas.ts'

export type Moderator = { userId: string; isService: boolean }

type Matters = ExpressionBuilder<Schema, 'moderation_matters' | 'workspaces'>

const adminOf = (userId: string) =>
  expressionBuilder<Schema>()
    .selectFrom('memberships')
    .select('memberships.workspace_id')
    .where('memberships.user_id', '=', userId)
    .where('memberships.role', '=', 'admin')

/** Nobody decides about an own card; moderators of the service see nothing of a private team. */
function mayModerate(eb: Matters, { userId, isService }: Moderator): Expression<SqlBool> {
  const isAdmin = eb('moderation_matters.workspace_id', 'in', adminOf(userId))
  return eb.and([
    eb('moderation_matters.owner_id', '!=', userId),
    isService ? eb.or([eb('workspaces.visibility', '!=', 'private'), isAdmin]) : isAdmin,
  ])
}

const mattersOf = (db: Db, moderator: Moderator) =>
  db
    .selectFrom('moderation_matters')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'moderation_matters.workspace_id')
    .innerJoin('users as owner', 'owner.user_id', 'moderation_matters.owner_id')
    .leftJoin('users as decider', 'decider.user_id', 'moderation_matters.decided_by')
    .where((eb) => mayModerate(eb as unknown as Matters, moderator))

const shown = (db: Db, moderator: Moderator) =>
  mattersOf(db, moderator)
    .selectAll('moderation_matters')
    .select((eb) => [
      'workspaces.name as workspace_name',
      'workspaces.visibility',
      'owner.display_name as publisher_name',
      'decider.display_name as decided_by_name',
      eb
        .selectFrom('card_reports')
        .select((eb) => eb.fn.countAll<number>().as('reports'))
        .whereRef('card_reports.matter_id', '=', 'moderation_matters.matter_id')
        .as('reports'),
      banOf(eb as unknown as Matters).as('is_banning'),
    ])

const banOf = (eb: Matters) =>
  eb
    .selectFrom('publishing_bans')
    .select((eb) => eb.fn.countAll<number>().as('bans'))
    .whereRef('publishing_bans.matter_id', '=', 'moderation_matters.matter_id')
    .where('publishing_bans.lifted_at', 'is', null)

type BareMatter = Awaited<ReturnType<ReturnType<typeof shown>['execute']>>[number]

const cardsNamed = (db: Db, cardIds: readonly string[]) =>
  db
    .selectFrom('cards')
    .select(['card_id', 'hidden_at', 'review_status', 'version', 'status', 'workspace_id'])
    .select(sql<string>`substr(title, 1, 300)`.as('title'))
    .where('card_id', 'in', cardIds)
    .where('deleted_at', 'is', null)
    .execute()

/** The card is still where the matter is about it, so the moderators may read its present version. */
export const isAtMatter = (
  card: Pick<Selectable<CardsTable>, 'status' | 'workspace_id'>,
  matter: Pick<ModerationMattersTable, 'workspace_id'>,
): boolean => card.status === 'published' && card.workspace_id === matter.workspace_id

/** Queried separately, because a cluster would read all cards for a join. */
async function withCards(db: Db, matters: readonly BareMatter[], { isService }: Moderator) {
  const ids = [...new Set(matters.map((matter) => matter.card_id))]
  const cards = ids.length > 0 ? await cardsNamed(db, ids) : []
  const byId = new Map(cards.map((card) => [card.card_id, card]))
  return matters.map((matter) => {
    const card = byId.get(matter.card_id)
    // Changes that the owner made after withdrawing the card are private.
    const isSeen = card && (isAtMatter(card, matter) || card.version <= matter.card_version)
    return {
      ...matter,
      // Hides the moderator's name, because an owner may be admin through a second account.
      decided_by_name: isService || matter.decided_by_service === 0 ? matter.decided_by_name : null,
      hidden_at: card?.hidden_at ?? null,
      review_status: card?.review_status ?? null,
      title: isSeen ? card.title : null,
    }
  })
}

export type MatterRow = Awaited<ReturnType<typeof withCards>>[number]

type MatterFilter = { waiting: boolean | undefined; workspaceId: string | undefined }

export async function listMatters(
  db: Db,
  moderator: Moderator,
  { waiting, workspaceId }: MatterFilter,
  page: { limit: number; offset: number },
): Promise<{ rows: MatterRow[]; total: number }> {
  const narrowed = <T>(query: T): T => {
    let rest = query as unknown as ReturnType<typeof mattersOf>
    if (waiting !== undefined) rest = rest.where('moderation_matters.status', waiting ? '!=' : '=', 'decided')
    if (workspaceId !== undefined) rest = rest.where('moderation_matters.workspace_id', '=', workspaceId)
    return rest as unknown as T
  }
  const { total } = await narrowed(mattersOf(db, moderator))
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await narrowed(shown(db, moderator))
    .orderBy('moderation_matters.created_at', 'desc')
    .orderBy('moderation_matters.matter_id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  return { rows: await withCards(db, rows, moderator), total }
}

export async function findMatter(
  db: Db,
  moderator: Moderator,
  matterId: string,
): Promise<MatterRow | undefined> {
  const rows = await shown(db, moderator).where('moderation_matters.matter_id', '=', matterId).execute()
  return (await withCards(db, rows, moderator))[0]
}

/** Makes two decisions about one matter run one after the other (PostgreSQL; SQLite has one writer). */
export async function lockMatter(db: Db, matterId: string): Promise<void> {
  await db
    .selectFrom('moderation_matters')
    .select('matter_id')
    .where('matter_id', '=', matterId)
    .forUpdate()
    .execute()
}

export const mattersOfCard = (db: Db, cardId: string) =>
  db
    .selectFrom('moderation_matters')
    .selectAll()
    .select((eb) => banOf(eb as unknown as Matters).as('is_banning'))
    .where('card_id', '=', cardId)
    .orderBy('created_at', 'desc')
    .orderBy('matter_id', 'desc')
    .limit(100)
    .execute()

type OwnMatterRow = Awaited<ReturnType<typeof mattersOfCard>>[number]

export const findOwnMatter = (db: Db, ownerId: string, matterId: string) =>
  db
    .selectFrom('moderation_matters')
    .selectAll()
    .where('matter_id', '=', matterId)
    .where('owner_id', '=', ownerId)
    .executeTakeFirst()

export const waitingMatter = (db: Db, cardId: string, workspaceId: string) =>
  db
    .selectFrom('moderation_matters')
    .selectAll()
    .where('card_id', '=', cardId)
    .where('workspace_id', '=', workspaceId)
    .where('status', '!=', 'decided')
    .executeTakeFirst()

export async function insertMatter(db: Db, row: ModerationMattersTable): Promise<void> {
  await db.insertInto('moderation_matters').values(row).execute()
}

export async function updateMatter(
  db: Db,
  matterId: string,
  change: Partial<ModerationMattersTable>,
): Promise<void> {
  await db.updateTable('moderation_matters').set(change).where('matter_id', '=', matterId).execute()
}

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
    .where('cards.hidden_at', 'is', null)
    .where('workspaces.visibility', '!=', 'private')
    .executeTakeFirstOrThrow()
  const decisions = await db
    .selectFrom('moderation_matters')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'moderation_matters.workspace_id')
    .select(['moderation_matters.decision', (eb) => eb.fn.countAll<number>().as('times')])
    .where('moderation_matters.owner_id', '=', userId)
    .where('moderation_matters.decision', 'is not', null)
    // Decisions of a private team are visible to that team only.
    .where(sql<boolean>`(moderation_matters.was_open = 1 or workspaces.visibility <> 'private')`)
    .groupBy('moderation_matters.decision')
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

type Bans = ExpressionBuilder<Schema, 'publishing_bans'>

function maySee(eb: Bans, { userId, isService }: Moderator): Expression<SqlBool> {
  const isAdmin = eb('publishing_bans.workspace_id', 'in', adminOf(userId))
  return eb.and([
    eb('publishing_bans.user_id', '!=', userId),
    eb.or([isService ? eb('publishing_bans.workspace_id', 'is', null) : sql<boolean>`1 = 0`, isAdmin]),
  ])
}

const bansFor = (db: Db, moderator: Moderator) =>
  db.selectFrom('publishing_bans').where((eb) => maySee(eb, moderator))

const shownBan = (db: Db, moderator: Moderator) =>
  bansFor(db, moderator)
    .innerJoin('users', 'users.user_id', 'publishing_bans.user_id')
    .leftJoin('workspaces', 'workspaces.workspace_id', 'publishing_bans.workspace_id')
    .leftJoin('memberships as theirs', (join) =>
      join
        .onRef('theirs.workspace_id', '=', 'publishing_bans.workspace_id')
        .onRef('theirs.user_id', '=', 'publishing_bans.user_id'),
    )
    .selectAll('publishing_bans')
    .select(['users.display_name', 'workspaces.name as workspace_name'])
    .select(['workspaces.visibility', 'theirs.role as role_there'])

export type BanRow = Awaited<ReturnType<ReturnType<typeof shownBan>['execute']>>[number]

export async function listBans(
  db: Db,
  moderator: Moderator,
  page: { limit: number; offset: number },
): Promise<{ rows: BanRow[]; total: number }> {
  const { total } = await bansFor(db, moderator)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await shownBan(db, moderator)
    .orderBy('publishing_bans.created_at', 'desc')
    .orderBy('publishing_bans.ban_id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  return { rows, total }
}

export const findBanFor = (db: Db, moderator: Moderator, banId: string): Promise<BanRow | undefined> =>
  shownBan(db, moderator).where('publishing_bans.ban_id', '=', banId).executeTakeFirst()

export async function insertBan(db: Db, row: PublishingBansTable): Promise<void> {
  await db.insertInto('publishing_bans').values(row).execute()
}

type Lifting = { lifted_by: string; lifted_at: string; lift_reason: string }

export async function liftBanRow(db: Db, banId: string, lifting: Lifting): Promise<void> {
  await db.updateTable('publishing_bans').set(lifting).where('ban_id', '=', banId).execute()
}

export async function liftBansOfMatter(db: Db, matterId: string, lifting: Lifting): Promise<string[]> {
  const rows = await db
    .updateTable('publishing_bans')
    .set(lifting)
    .where('matter_id', '=', matterId)
    .where('lifted_at', 'is', null)
    .returning('ban_id')
    .execute()
  return rows.map((row) => row.ban_id)
}

export const findBanIn = (
  db: Db,
  userId: string,
  workspaceId: string | null,
): Promise<PublishingBansTable | undefined> =>
  db
    .selectFrom('publishing_bans')
    .selectAll()
    .where('user_id', '=', userId)
    .where('workspace_id', workspaceId === null ? 'is' : '=', workspaceId)
    .where('lifted_at', 'is', null)
    .executeTakeFirst()

type HiddenCard = Pick<Selectable<CardsTable>, 'card_id' | 'hidden_at'>

const mattersHere = (db: Db, cardId: string) =>
  db
    .selectFrom('moderation_matters')
    .select(['matter_id', 'workspace_id', 'cause', 'decision', 'decided_at'])
    .select(['hidden_by_reports', 'decided_by_service'])
    .where('card_id', '=', cardId)
    .execute()

type Holding = Awaited<ReturnType<typeof mattersHere>>[number]

/** A draft that was refused before the card was hidden does not keep the card hidden. */
function holds(matter: Holding, { hidden_at }: HiddenCard): boolean {
  if (matter.hidden_by_reports === 1) return true
  if (matter.decision !== 'hide' && matter.decision !== 'remove') return false
  return matter.cause === 'reports' || (matter.decided_at ?? '') >= (hidden_at ?? '')
}

/** Returns true if another matter hides the card too, so that keeping the card here does not show it. */
export async function isHeldBeside(db: Db, card: HiddenCard, matterId: string): Promise<boolean> {
  const matters = await mattersHere(db, card.card_id)
  return matters.some((matter) => matter.matter_id !== matterId && holds(matter, card))
}

/** Returns true if moderators have kept this version of the card: then reports alone cannot hide it. */
export async function wasKept(
  db: Db,
  { card_id, version, workspace_id }: Pick<Selectable<CardsTable>, 'card_id' | 'version' | 'workspace_id'>,
): Promise<boolean> {
  const row = await db
    .selectFrom('moderation_matters')
    .select('matter_id')
    .where('card_id', '=', card_id)
    .where('workspace_id', '=', workspace_id)
    .where('decision', '=', 'keep')
    .where('decided_version', '=', version)
    .executeTakeFirst()
  return row !== undefined
}

/** Queried separately: a cluster keeps matters and cards on different nodes. */
async function hiddenIn(db: Db, workspaceId: string): Promise<HiddenCard[]> {
  const matters = await db
    .selectFrom('moderation_matters')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'moderation_matters.workspace_id')
    .select('moderation_matters.card_id')
    .distinct()
    .where('moderation_matters.workspace_id', '=', workspaceId)
    .where('workspaces.visibility', '=', 'private')
    .execute()
  const cardIds = textList(matters.map((matter) => matter.card_id))
  return db
    .selectFrom('cards')
    .select(['card_id', 'hidden_at'])
    .where('hidden_at', 'is not', null)
    .where(isAmongTexts(db, 'card_id', cardIds))
    .execute()
}

/** Shows only cards that the team's admins have hidden: deleting a team must not bypass moderation. */
export async function endTeamMatters(db: Db, workspaceId: string, now: string): Promise<void> {
  for (const card of await hiddenIn(db, workspaceId)) {
    const { card_id } = card
    const holding = (await mattersHere(db, card_id)).filter((matter) => holds(matter, card))
    const isOfTeam = (matter: Holding) =>
      matter.workspace_id === workspaceId && matter.hidden_by_reports === 0 && matter.decided_by_service === 0
    if (holding.length === 0 || !holding.every(isOfTeam)) continue
    await db
      .updateTable('cards')
      .set({ hidden_at: null, updated_at: now })
      .where('card_id', '=', card_id)
      .execute()
    // A closed matter no longer hides the card, whatever another matter about the card decides.
    await db
      .updateTable('moderation_matters')
      .set({ decision: null })
      .where('card_id', '=', card_id)
      .where('workspace_id', '=', workspaceId)
      .execute()
    await markSuccession(db, card_id)
  }
  await db
    .updateTable('moderation_matters')
    .set({ status: 'decided', can_appeal: 0, updated_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('status', '!=', 'decided')
    .execute()
}

const common = (row: ModerationMattersTable & { is_banning: number | null }) => ({
  matter_id: row.matter_id,
  card_id: row.card_id,
  workspace_id: row.workspace_id,
  cause: row.cause,
  status: row.status,
  revision: row.revision,
  card_version: row.card_version,
  hidden_by_reports: row.hidden_by_reports === 1,
  decision: row.decision,
  reason: row.reason,
  decided_at: row.decided_at,
  ban_publisher: (row.is_banning ?? 0) > 0,
  appeal_note: row.appeal_note,
  appealed_at: row.appealed_at,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

export const presentOwnMatter = (row: OwnMatterRow, isHidden: boolean): z.input<typeof OwnMatter> => ({
  ...common(row),
  is_hidden: isHidden,
  can_appeal: row.can_appeal === 1 && row.status === 'decided',
})

export const presentMatter = (row: MatterRow): z.input<typeof MatterHead> => ({
  ...common(row),
  is_hidden: row.hidden_at !== null,
  workspace_name: row.workspace_name,
  title: row.title,
  publisher_id: row.owner_id,
  publisher_name: row.publisher_name,
  reports: row.reports ?? 0,
  provenance: {
    owner: 'public',
    workspace: row.workspace_id,
    reviewed: row.review_status === 'passed',
    ...markOf([row.title, row.appeal_note, row.ask_note].some((text) => containsInstructions(text ?? ''))),
  },
})
