import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { toJson } from '../../db/columns.ts'
import { readCites } from '../cites/read-cites.ts'
import { requireMayPublish } from '../sanctions/sanctions.ts'
import { updateCardRow } from './cards.store.ts'
import { contentOf, warningsFor } from './content.ts'
import { holdCard } from './hold-card.ts'
import { orCleared, refuseUnsafe, review, reviewColumns } from './review.ts'
import { savedState } from './saved.ts'
import { editableUnmerged } from './unmerged-card.ts'

/**
 * Sets the cites of a card, or reads them from the card again. Others read them with the card, so it is reviewed as after a
 * change of its texts.
 */
export const changeCites = (ctx: UserCtx, cardId: string, written: readonly string[] | null) =>
  inTx(
    ctx,
    async (ctx) => {
      await holdCard(ctx, cardId)
      const card = await editableUnmerged(ctx, cardId)
      const there = { workspace_id: card.workspace_id, visibility: card.workspace_visibility }
      if (card.status === 'published') await requireMayPublish(ctx, there)
      const content = contentOf(card)
      const cites = written ?? readCites(content)
      const change = { cites: toJson(cites), cites_are_written: written ? 1 : 0 }
      const reviewed = await review(ctx, { ...card, ...change }, content, card.evidence_count, content)
      const verdict = await orCleared(ctx, reviewed, card, there)
      if (card.status === 'published') refuseUnsafe(verdict)
      const now = ctx.now().toISOString()
      await updateCardRow(ctx.db, cardId, { ...change, ...reviewColumns(verdict, now) })
      await savedState(ctx, cardId)
      return { cites: [...cites], warnings: warningsFor(verdict.secrets) }
    },
    SELF_GUARDED,
  )
