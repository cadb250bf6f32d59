import type { Ctx } from '../../core/context.ts'
import { type Db, isSqlite } from '../../db/db.ts'
import type { CardStatus, ReviewStatus } from '../../db/tables/cards.ts'
import type { WorkspacesTable } from '../../db/tables/workspaces.ts'
import { isAmongTexts, textList } from '../../db/text-list.ts'
import { isOpenRow } from './visibility.ts'

/** What decides who reads a card. */
type Stored = {
  workspace_id: string
  owner_id: string
  status: CardStatus
  review_status: ReviewStatus
  deleted_at: string | null
  hidden_at: string | null
}
type Visibility = WorkspacesTable['visibility']
type Linked = Stored & { card_id: string; superseded_by: string | null; successor_gone: number }
type Shown = Stored & { workspace_visibility: Visibility }

/** Whether everybody who can read the former card can read the one that takes its place. */
export function isReadByAllOf(former: Shown, successor: Shown): boolean {
  if (successor.deleted_at !== null || successor.hidden_at !== null) return false
  if (isOpenRow(successor) || isOpenRow(former)) return isOpenRow(successor)
  const isSharedOrTheirs =
    successor.status === 'published' ||
    (former.status === 'unpublished' && successor.owner_id === former.owner_id)
  return successor.workspace_id === former.workspace_id && isSharedOrTheirs
}

const COLUMNS = [
  'card_id',
  'workspace_id',
  'owner_id',
  'status',
  'review_status',
  'deleted_at',
  'hidden_at',
  'superseded_by',
  'successor_gone',
] as const

/** Workspaces are asked apart: on a cluster, a query that locks rows of cards reads no other table. */
async function visibilitiesFor(db: Db, cards: readonly Stored[]): Promise<(card: Stored) => Visibility> {
  const ids = textList(new Set(cards.map(({ workspace_id }) => workspace_id)))
  const rows = await db
    .selectFrom('workspaces')
    .select(['workspace_id', 'visibility'])
    .where(isAmongTexts(db, 'workspace_id', ids))
    .execute()
  const known = new Map(rows.map(({ workspace_id, visibility }) => [workspace_id, visibility]))
  return ({ workspace_id }) => known.get(workspace_id) ?? 'private'
}

const cardsOf = (db: Db) => db.selectFrom('cards').select(COLUMNS)

/** The rows are locked, so that they do not lose their readers while they take the place of others. */
const locked = (db: Db, cards: ReturnType<typeof cardsOf>) =>
  (isSqlite(db) ? cards : cards.orderBy('card_id').forShare()).execute()

const lockedCard = (db: Db, cardId: string) => locked(db, cardsOf(db).where('card_id', '=', cardId))

/** A cluster locks rows of one shard at a time, so there it is a statement for each of them. */
async function lockedCards({ db, database }: Ctx, cardIds: readonly string[]): Promise<Linked[]> {
  if (!database.isDistributed)
    return locked(db, cardsOf(db).where(isAmongTexts(db, 'card_id', textList(cardIds))))
  const found: Linked[] = []
  for (const cardId of [...cardIds].sort()) found.push(...(await lockedCard(db, cardId)))
  return found
}

/** In the cards that others have replaced: whether their readers can read those. Four statements at most. */
async function markFormersOf(db: Db, successorIds: readonly string[], successors: readonly Linked[]) {
  const formers = await cardsOf(db)
    .where(isAmongTexts(db, 'superseded_by', textList(successorIds)))
    .execute()
  if (formers.length === 0) return
  const visibilityOf = await visibilitiesFor(db, [...formers, ...successors])
  const shown = (card: Linked) => ({ ...card, workspace_visibility: visibilityOf(card) })
  const byId = new Map(successors.map((card) => [card.card_id, shown(card)]))
  const isGone = (former: Linked) => {
    const successor = byId.get(former.superseded_by ?? '')
    return !successor || !isReadByAllOf(shown(former), successor)
  }
  const changed = formers.filter((former) => former.successor_gone !== Number(isGone(former)))
  for (const successor_gone of [0, 1]) {
    const cardIds = changed
      .filter((former) => former.successor_gone !== successor_gone)
      .map(({ card_id }) => card_id)
    if (cardIds.length > 0)
      await db
        .updateTable('cards')
        .set({ successor_gone })
        .where(isAmongTexts(db, 'card_id', textList(cardIds)))
        .execute()
  }
}

const markFormersOfOne = async (db: Db, successorId: string) =>
  markFormersOf(db, [successorId], await lockedCard(db, successorId))

/**
 * Call it after every change of who reads a card. A card whose successor its readers cannot read counts as current again,
 * else search would show them neither.
 */
export async function markSuccession(db: Db, cardId: string): Promise<void> {
  await markFormersOfOne(db, cardId)
  const card = await db
    .selectFrom('cards')
    .select('superseded_by')
    .where('card_id', '=', cardId)
    .executeTakeFirst()
  if (card && card.superseded_by !== null) await markFormersOfOne(db, card.superseded_by)
}

/** The successors among the cards of a workspace, and of those cards: to be marked after all of them change their readers. */
export async function successorsAround(db: Db, workspaceId: string): Promise<string[]> {
  const inside = db.selectFrom('cards').select('card_id').where('workspace_id', '=', workspaceId)
  const superseded = db.selectFrom('cards').select('superseded_by').distinct()
  const ofInside = await superseded
    .where('workspace_id', '=', workspaceId)
    .where('superseded_by', 'is not', null)
    .execute()
  const within = await superseded.where('superseded_by', 'in', inside).execute()
  return [...new Set([...ofInside, ...within].flatMap(({ superseded_by }) => superseded_by ?? []))]
}

/** The same for many successors at once. */
export async function markAll(ctx: Ctx, successorIds: readonly string[]): Promise<void> {
  if (successorIds.length > 0) await markFormersOf(ctx.db, successorIds, await lockedCards(ctx, successorIds))
}
