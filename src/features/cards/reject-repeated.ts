import type { Ctx } from '../../core/context.ts'
import { fromJson, toJson } from '../../db/columns.ts'
import type { WorkspacesTable } from '../../db/tables/workspaces.ts'
import { isClearedFor } from '../sanctions/sanctions.ts'
import { updateCardRow } from './cards.store.ts'
import type { ReviewReason } from './review-rules.ts'
import { passedCards, passedIdsIn } from './withdrawn-texts.store.ts'
import { repeatsOneOf, withdrawnByOwner, withdrawnReason } from './withdrawn-texts.ts'

/** So many texts are in memory at once. */
const AT_ONCE = 100

/**
 * Before a workspace is opened: what is shared there and repeats a hidden text of its owner has not passed for strangers. It
 * was reviewed before the text was hidden. Only cards of people with hidden texts are read, and those are few. Call it in the
 * transaction that opens the workspace; the cards are indexed anew after it.
 */
export async function rejectRepeatedIn(
  ctx: Ctx,
  opened: Pick<WorkspacesTable, 'workspace_id' | 'visibility'>,
): Promise<void> {
  const withdrawn = await withdrawnByOwner(ctx)
  if (withdrawn.size === 0) return
  const cardIds = await passedIdsIn(ctx.db, opened.workspace_id, [...withdrawn.keys()])
  const reviewed_at = ctx.now().toISOString()
  for (let from = 0; from < cardIds.length; from += AT_ONCE)
    for (const card of await passedCards(ctx.db, cardIds.slice(from, from + AT_ONCE))) {
      if (!(await repeatsOneOf(ctx, card, withdrawn.get(card.owner_id) ?? []))) continue
      if (await isClearedFor(ctx, card, opened)) continue
      const review_reasons = toJson([...fromJson<ReviewReason[]>(card.review_reasons), withdrawnReason()])
      await updateCardRow(ctx.db, card.card_id, { review_status: 'rejected', review_reasons, reviewed_at })
    }
}
