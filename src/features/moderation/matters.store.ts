import {
  type Expression,
  type ExpressionBuilder,
  expressionBuilder,
  type Selectable,
  type SqlBool,
  sql,
} from 'kysely'
import type { Db } from '../../db/db.ts'
import type { Schema } from '../../db/schema.ts'
import type { CardsTable } from '../../db/tables/cards.ts'
import type { ModerationMattersTable } from '../../db/tables/moderation.ts'

export type Moderator = { userId: string; isService: boolean }

type Matters = ExpressionBuilder<Schema, 'moderation_matters' | 'workspaces'>

/** The workspaces of which somebody is admin. */
export const adminOf = (userId: string) =>
  expressionBuilder<Schema>()
    .selectFrom('memberships')
    .select('memberships.workspace_id')
    .where('memberships.user_id', '=', userId)
    .where('memberships.role', '=', 'admin')

/**
 * Who may read a matter and decide it: moderators of the service where strangers read, and admins of a workspace for its
 * cards. Nobody decides about a card of their own. Moderators of the service see nothing of a private team.
 */
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

/** The card is where the matter is about it, so those who decide read its present version. */
export const isAtMatter = (
  card: Pick<Selectable<CardsTable>, 'status' | 'workspace_id'>,
  matter: Pick<ModerationMattersTable, 'workspace_id'>,
): boolean => card.status === 'published' && card.workspace_id === matter.workspace_id

/** Matters with what moderators see of their cards. Asked apart, because a cluster would have to read all cards to join them. */
async function withCards(db: Db, matters: readonly BareMatter[], { isService }: Moderator) {
  const ids = [...new Set(matters.map((matter) => matter.card_id))]
  const cards = ids.length > 0 ? await cardsNamed(db, ids) : []
  const byId = new Map(cards.map((card) => [card.card_id, card]))
  return matters.map((matter) => {
    const card = byId.get(matter.card_id)
    // What the owner has changed since they took the card back is private.
    const isSeen = card && (isAtMatter(card, matter) || card.version <= matter.card_version)
    return {
      ...matter,
      // Who decides for the service is named to its moderators alone: an owner may be admin by a second account.
      decided_by_name: isService || matter.decided_by_service === 0 ? matter.decided_by_name : null,
      hidden_at: card?.hidden_at ?? null,
      review_status: card?.review_status ?? null,
      title: isSeen ? card.title : null,
    }
  })
}

export type MatterRow = Awaited<ReturnType<typeof withCards>>[number]

export type MatterFilter = { waiting: boolean | undefined; workspaceId: string | undefined }

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

/** On PostgreSQL this makes two decisions about one matter run one after the other. SQLite has only one writer. */
export async function lockMatter(db: Db, matterId: string): Promise<void> {
  await db
    .selectFrom('moderation_matters')
    .select('matter_id')
    .where('matter_id', '=', matterId)
    .forUpdate()
    .execute()
}

/** All matters of a card, newest first, with whether a ban of each is in force. */
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

export type OwnMatterRow = Awaited<ReturnType<typeof mattersOfCard>>[number]

export const findOwnMatter = (db: Db, ownerId: string, matterId: string) =>
  db
    .selectFrom('moderation_matters')
    .selectAll()
    .where('matter_id', '=', matterId)
    .where('owner_id', '=', ownerId)
    .executeTakeFirst()

/** What waits for those who decide about the card in this workspace. */
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

/** What moderators see of a publisher: their public cards and earlier decisions about them. */
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
    // What a private team decided is for that team to know.
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
