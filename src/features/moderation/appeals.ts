import { capability } from '../../core/capability.ts'
import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { conflict, notFound } from '../../core/errors.ts'
import { flag } from '../../db/columns.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/ids.ts'
import { cleanOptional, cleanText, Findings } from '../../redaction/redact.ts'
import { contentOf } from '../../shared/card-checks.ts'
import { audit } from '../audit/index.ts'
import { findAnyCard, lockAnyCard, ownCard, review, reviewAhead } from '../cards/index.ts'
import { publishingTarget, refuseHidden, requireMayPublish } from '../permissions/index.ts'
import {
  findOwnMatter,
  insertMatter,
  lockMatter,
  mattersOfCard,
  presentOwnMatter,
  updateMatter,
  waitingMatter,
} from './matters.ts'
import { tellModerators } from './moderators.ts'
import { newMatter } from './reports.ts'
import { Appeal, AskForLook, OwnMatter } from './schemas.ts'

async function presentOwn(ctx: UserCtx, cardId: string, matterId: string) {
  const card = await findAnyCard(ctx, cardId)
  const row = (await mattersOfCard(ctx.db, cardId)).find((one) => one.matter_id === matterId)
  if (!row) throw notFound('Matter')
  return presentOwnMatter(row, card !== undefined && card.hidden_at !== null)
}

async function requireOwnMatter(ctx: UserCtx, matterId: string) {
  const row = await findOwnMatter(ctx.db, ctx.viewer.userId, matterId)
  if (!row) throw notFound('Matter')
  return row
}

/** Locks the card first, then the matter: the same order as a report, to avoid a deadlock. */
async function heldOwnMatter(ctx: UserCtx, matterId: string) {
  const { card_id } = await requireOwnMatter(ctx, matterId)
  await lockAnyCard(ctx, card_id)
  if (ctx.database.engine === 'postgres') await lockMatter(ctx.db, matterId)
  return requireOwnMatter(ctx, matterId)
}

export const appealDecision = capability({
  name: 'moderation.appeal',
  summary: 'Appeal against a decision about your card, once for each decision',
  description:
    'Moderators look again, at the card as it is now: you may change it first. A ban of the same decision is appealed with it.',
  scopes: ['account'],
  rest: ['POST /api/v1/moderation/matters/{matter_id}/appeal'],
  status: 201,
  input: Appeal,
  output: OwnMatter,
  errors: [404, 409],
  run: (ctx, { matter_id, note: given }) => {
    const note = cleanText(given, new Findings())
    return inTx(
      ctx,
      async (ctx) => {
        const row = await heldOwnMatter(ctx, matter_id)
        if (row.status !== 'decided' || row.can_appeal !== 1)
          throw conflict('no_appeal', 'There is no decision in this matter that you can appeal against now.')
        if (await waitingMatter(ctx.db, row.card_id, row.workspace_id))
          throw conflict(
            'no_appeal',
            'Another matter about this card is waiting for a decision. Wait until it is decided.',
          )
        const card = await findAnyCard(ctx, row.card_id)
        const now = ctx.now().toISOString()
        await updateMatter(ctx.db, matter_id, {
          status: 'appealed',
          revision: row.revision + 1,
          can_appeal: 0,
          appeal_note: note,
          appealed_at: now,
          card_version: card?.version ?? row.card_version,
          updated_at: now,
        })
        await tellModerators(ctx, row)
        await audit(ctx, {
          action: 'moderation.appealed',
          subject: { type: 'card', id: row.card_id },
          workspaceId: row.workspace_id,
          details: { matter_id },
        })
        return presentOwn(ctx, row.card_id, matter_id)
      },
      SELF_GUARDED,
    )
  },
})

export const askForLook = capability({
  name: 'moderation.ask',
  summary: 'Ask moderators to look at a card of yours that the review refuses',
  description:
    'Shows the card, as it is now, to the moderators of the library, or to the admins of target_workspace_id. If they keep it, this version can be published there unchanged. A card with a secret is never let through.',
  scopes: ['publish'],
  rest: ['POST /api/v1/cards/{card_id}/ask-moderators'],
  status: 201,
  input: AskForLook,
  output: OwnMatter,
  errors: [404, 409, 412],
  prepare: (ctx, { card_id }) => reviewAhead(ctx, card_id),
  run: (ctx, { card_id, target_workspace_id = PUBLIC_LIBRARY_ID, note: given }) => {
    const ask_note = cleanOptional(given, new Findings())
    return inTx(
      ctx,
      async (ctx) => {
        await lockAnyCard(ctx, card_id)
        const card = await ownCard(ctx, card_id, 'ask about')
        refuseHidden(card)
        const target = await publishingTarget(ctx, target_workspace_id)
        await requireMayPublish(ctx, target)
        if (await waitingMatter(ctx.db, card_id, target.workspace_id))
          throw conflict('matter_open', 'Moderators have not decided about this card yet.')
        const verdict = await review(
          ctx,
          { ...card, workspace_id: target.workspace_id },
          contentOf(card),
          card.evidence_count,
        )
        if (verdict.isAccepted)
          throw conflict('not_blocked', 'The review does not refuse this card. Publish it.')
        if (verdict.secrets.length > 0)
          throw conflict('holds_secret', 'The card seems to contain a secret. Remove it first.')
        const made = newMatter(ctx, card, {
          cause: 'blocked',
          workspace_id: target.workspace_id,
          ask_note,
          was_open: flag(target.visibility !== 'private'),
        })
        await insertMatter(ctx.db, made)
        await tellModerators(ctx, made)
        await audit(ctx, {
          action: 'moderation.asked',
          subject: { type: 'card', id: card_id },
          workspaceId: target.workspace_id,
          details: { matter_id: made.matter_id },
        })
        return presentOwn(ctx, card_id, made.matter_id)
      },
      SELF_GUARDED,
    )
  },
})
