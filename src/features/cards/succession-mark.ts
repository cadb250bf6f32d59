import { type Db, isSqlite } from '../../db/db.ts'
import type { CardStatus, ReviewStatus } from '../../db/tables/cards.ts'
import type { WorkspacesTable } from '../../db/tables/workspaces.ts'
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
async function withVisibility<C extends Stored>(db: Db, cards: readonly C[]) {
  if (cards.length === 0) return []
  const ids = [...new Set(cards.map(({ workspace_id }) => workspace_id))]
  const rows = await db
    .selectFrom('workspaces')
    .select(['workspace_id', 'visibility'])
    .where('workspace_id', 'in', ids)
    .execute()
  const visibilities = new Map(rows.map(({ workspace_id, visibility }) => [workspace_id, visibility]))
  return cards.map((card) => ({
    ...card,
    workspace_visibility: visibilities.get(card.workspace_id) ?? ('private' as const),
  }))
}

/** The row is locked, so that it does not lose its readers while it takes the place of another. */
async function lockedCard(db: Db, cardId: string) {
  const card = db.selectFrom('cards').select(COLUMNS).where('card_id', '=', cardId)
  const [found] = await withVisibility(db, await (isSqlite(db) ? card : card.forShare()).execute())
  return found
}

/** In the cards that a card has replaced: whether their readers can read it. */
async function markFormersOf(db: Db, successorId: string): Promise<void> {
  const successor = await lockedCard(db, successorId)
  const replaced = await db
    .selectFrom('cards')
    .select(COLUMNS)
    .where('superseded_by', '=', successorId)
    .execute()
  for (const former of await withVisibility(db, replaced)) {
    const successor_gone = successor && isReadByAllOf(former, successor) ? 0 : 1
    if (successor_gone !== former.successor_gone)
      await db.updateTable('cards').set({ successor_gone }).where('card_id', '=', former.card_id).execute()
  }
}

/**
 * Call it after every change of who reads a card. A card whose successor its readers cannot read counts as current again,
 * else search would show them neither.
 */
export async function markSuccession(db: Db, cardId: string): Promise<void> {
  await markFormersOf(db, cardId)
  const card = await db
    .selectFrom('cards')
    .select('superseded_by')
    .where('card_id', '=', cardId)
    .executeTakeFirst()
  if (card && card.superseded_by !== null) await markFormersOf(db, card.superseded_by)
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

export async function markAll(db: Db, successorIds: readonly string[]): Promise<void> {
  for (const id of successorIds) await markFormersOf(db, id)
}
