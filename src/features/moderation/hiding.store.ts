/** Which matters keep a card hidden, and what ends it. */
import type { Selectable } from 'kysely'
import type { Db } from '../../db/db.ts'
import type { CardsTable } from '../../db/tables/cards.ts'
import { isAmongTexts, textList } from '../../db/text-list.ts'
import { markSuccession } from '../cards/succession-mark.ts'

type HiddenCard = Pick<Selectable<CardsTable>, 'card_id' | 'hidden_at'>

const mattersHere = (db: Db, cardId: string) =>
  db
    .selectFrom('moderation_matters')
    .select(['matter_id', 'workspace_id', 'cause', 'decision', 'decided_at'])
    .select(['hidden_by_reports', 'decided_by_service'])
    .where('card_id', '=', cardId)
    .execute()

type Holding = Awaited<ReturnType<typeof mattersHere>>[number]

/** A draft that was refused before the card was hidden is not what hides it. */
function holds(matter: Holding, { hidden_at }: HiddenCard): boolean {
  if (matter.hidden_by_reports === 1) return true
  if (matter.decision !== 'hide' && matter.decision !== 'remove') return false
  return matter.cause === 'reports' || (matter.decided_at ?? '') >= (hidden_at ?? '')
}

/** Another matter hides the card too: to keep it in this one does not show it. */
export async function isHeldBeside(db: Db, card: HiddenCard, matterId: string): Promise<boolean> {
  const matters = await mattersHere(db, card.card_id)
  return matters.some((matter) => matter.matter_id !== matterId && holds(matter, card))
}

/** Whether those who decide here have kept this version of a card: reports alone hide it no more. */
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

/** Cards of a private team's matters that are hidden now. Asked apart: a cluster keeps matters and cards on different nodes. */
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

/**
 * Cards that only the admins of this team have hidden are shown again, and what waits there waits no more. What moderators
 * of the service or strangers' reports have hidden stays so: closing and deleting a team is no way around them.
 */
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
    // It holds nothing any more, whatever another matter about the card comes to.
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
