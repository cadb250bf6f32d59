import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { conflict, notFound } from '../../core/errors.ts'
import { AnswerId, Id, Time } from '../../core/schemas.ts'
import { cleanOptional, Findings } from '../../redaction/redact.ts'
import { DAY_MS } from '../../shared/time.ts'
import { audit } from '../audit/index.ts'
import { CardId, editableAtAnyVersion, editableCard, lockWithRelated } from '../cards/index.ts'
import { requireMaySpeakOf } from '../permissions/index.ts'
import {
  countMergedInto,
  deleteMerge,
  findMerge,
  insertMerge,
  isSuccessorGone,
  succeed,
  succeedAnew,
  successorByLink,
} from './links.ts'
import { refreshIsDue, refreshSoon } from './refresh.ts'

/** Limit of merged cards, because reading a card also reads the cards merged into it. */
const MAX_MERGED = 20
const UNDO_DAYS = 30

const Merged = z
  .object({
    card_id: AnswerId.describe('The card that was merged; its id now answers with the other card'),
    into_card_id: AnswerId,
    undo_until: Time,
  })
  .meta({ id: 'CardMerge' })

/** Sets no time limit if the merge target is gone, since nothing else could supersede the card. */
async function requireUndoable(ctx: UserCtx, cardId: string, mergedAt: string): Promise<void> {
  if (undoUntil(mergedAt) < ctx.now().toISOString() && !(await isSuccessorGone(ctx.db, cardId)))
    throw conflict('too_late', `A merge can be undone for ${UNDO_DAYS} days.`)
}

const undoUntil = (at: string): string => new Date(Date.parse(at) + UNDO_DAYS * DAY_MS).toISOString()

/**
 * Copies nothing: the verdicts count for the merge target while the merge stands. Trust is computed after the
 * transaction, whose snapshot lacks concurrent verdicts.
 */
export const mergeCard = capability({
  name: 'cards.merge',
  summary: 'Merge a card into another',
  description: `Verdicts, feedback and evidence of the card count and show on the other one, with their source. The card leaves search, and its id answers with the other one and says so. It can be undone for ${UNDO_DAYS} days. Credits stay as they are. It needs the right to edit both. GET …/links of the merged card says why.`,
  scopes: ['record', 'case:write'],
  rest: ['POST /api/v1/cards/{card_id}/merge'],
  input: CardId.extend({ into_card_id: Id, why: z.string().max(2000).nullish() }).meta({
    id: 'CardMergeCreate',
  }),
  output: Merged,
  errors: [404, 409, 412],
  run: async (ctx, { card_id, into_card_id, why: given }) => {
    const why = cleanOptional(given, new Findings())
    const merged = await inTx(ctx, async (ctx) => {
      const card = await editableCard(ctx, card_id)
      const into = await editableAtAnyVersion(ctx, into_card_id)
      if (why !== null) await requireMaySpeakOf(ctx, [card, into])
      if ((await countMergedInto(ctx.db, into_card_id)) >= MAX_MERGED)
        throw conflict('too_many_merged', `A card can take in at most ${MAX_MERGED} others.`)
      if (await findMerge(ctx.db, into_card_id))
        throw conflict('merged_already', 'That card was itself merged into another. Merge into that one.')
      if ((await countMergedInto(ctx.db, card_id)) > 0)
        throw conflict(
          'has_merged',
          'This card has taken in others. Undo that first, or merge the other way.',
        )
      await refreshIsDue(ctx, into_card_id)
      await lockWithRelated(ctx, [card_id, into_card_id])
      await succeed(ctx, card, into)
      const created_at = ctx.now().toISOString()
      await insertMerge(ctx.db, {
        from_card_id: card_id,
        into_card_id,
        merged_by: ctx.viewer.userId,
        why,
        created_at,
      })
      await audit(ctx, {
        action: 'card.merged',
        subject: { type: 'card', id: card_id },
        workspaceId: card.workspace_id,
        details: { into_card_id },
      })
      return { card_id, into_card_id, undo_until: undoUntil(created_at) }
    })
    await refreshSoon(ctx, into_card_id)
    return merged
  },
})

export const unmergeCard = capability({
  name: 'cards.unmerge',
  summary: 'Undo a merge',
  description: `For ${UNDO_DAYS} days, and later if its readers cannot read the other card; for people who may edit the card that was merged. A link that says that another card supersedes it still holds.`,
  scopes: ['record', 'case:write'],
  rest: ['DELETE /api/v1/cards/{card_id}/merge'],
  status: 204,
  input: CardId,
  output: z.void(),
  errors: [404, 409, 412],
  run: async (ctx, { card_id }) => {
    const parted = await inTx(ctx, async (ctx) => {
      const card = await editableCard(ctx, card_id)
      const merge = await findMerge(ctx.db, card_id)
      if (!merge) throw notFound('Merge', 'This card is not merged into another.')
      await requireUndoable(ctx, card_id, merge.created_at)
      const parted = [merge.into_card_id, card_id]
      await refreshIsDue(ctx, ...parted)
      await lockWithRelated(ctx, parted)
      await deleteMerge(ctx.db, card_id)
      await succeedAnew(ctx, card_id, await successorByLink(ctx.db, card_id))
      await audit(ctx, {
        action: 'card.unmerged',
        subject: { type: 'card', id: card_id },
        workspaceId: card.workspace_id,
        details: { into_card_id: merge.into_card_id },
      })
      return parted
    })
    for (const cardId of parted) await refreshSoon(ctx, cardId)
  },
})
