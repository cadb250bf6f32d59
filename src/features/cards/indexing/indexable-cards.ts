import type { Selectable } from 'kysely'
import type { Ctx } from '../../../core/context.ts'
import type { Db } from '../../../db/db.ts'
import type { CardsTable } from '../../../db/tables/cards.ts'
import { contentOf } from '../content.ts'
import { evidenceTexts } from '../evidence-texts.ts'
import type { IndexedCard } from './document.ts'

const BATCH = 100

export type IndexedRow = Omit<
  Selectable<CardsTable>,
  'filter_text' | 'recorded_with' | 'origin_key' | 'successor_gone' | 'team_trust'
>

/** Cards as the index takes them: the rows, and the searched parts of their evidence. */
export async function indexedCards(db: Db, rows: readonly IndexedRow[]): Promise<IndexedCard[]> {
  const texts = await evidenceTexts(db, rows)
  return rows.map((row) => ({ ...withoutEvidence(row), evidence_texts: texts.get(row.card_id) ?? [] }))
}

/** What the filters of the index are made of. */
export function withoutEvidence(row: IndexedRow): Omit<IndexedCard, 'evidence_texts'> {
  const { card_id, workspace_id, origin_workspace_id, owner_id, status, review_status, hidden_at } = row
  const whose = { card_id, workspace_id, origin_workspace_id, owner_id, status, review_status, hidden_at }
  return { ...contentOf(row), ...whose }
}

/** Cards that belong in the index, after `after` in the order of their ids. */
export async function indexableCards(ctx: Ctx, after: string, limit = BATCH): Promise<IndexedCard[]> {
  const rows = await ctx.db
    .selectFrom('cards')
    .selectAll()
    .where('deleted_at', 'is', null)
    .where('card_id', '>', after)
    .orderBy('card_id')
    .limit(limit)
    .execute()
  return indexedCards(ctx.db, rows)
}
