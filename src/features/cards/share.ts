import { capability } from '../../core/capability.ts'
import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { forbidden, invalid } from '../../core/errors.ts'
import { emit } from '../../core/events.ts'
import { requireScope } from '../../core/invoke.ts'
import { Id } from '../../core/schemas.ts'
import { audit } from '../audit/audit.ts'
import { requirePublishing } from '../identity/users/publishing-setting.ts'
import { requireRole } from '../permissions/permission.ts'
import { refuseHidden, requireMayPublish } from '../sanctions/sanctions.ts'
import { type CardRow, ownCard, readableCard, refuseOutsider } from './access.ts'
import { updateCardRow } from './cards.store.ts'
import { contentOf } from './content.ts'
import { holdAround, holdCard } from './hold-card.ts'
import { moveTo } from './move.ts'
import { presentCard } from './present.ts'
import { publishedColumns } from './publication.ts'
import { refuseUnsafe, review, reviewAhead, reviewColumns } from './review.ts'
import { savedState } from './saved.ts'
import { type CardAnswer, CardId, CaseResponse } from './schemas.ts'
import { markSuccession } from './succession-mark.ts'
import { thinShare, thinState } from './thin.ts'
import { editableUnmerged } from './unmerged-card.ts'

/** In a public or unlisted workspace sharing publishes a card to strangers: that is for its owner to decide. */
async function requireLeaveInTheOpen(ctx: UserCtx, row: CardRow): Promise<void> {
  if (row.workspace_visibility === 'private') return
  if (row.owner_id !== ctx.viewer.userId)
    throw forbidden('Only the owner may share a card in a public or unlisted workspace.')
  requireScope(ctx, 'publish')
  await requirePublishing(ctx)
}

/**
 * Sharing needs no passed review, but stores it: strangers see only what has passed, now or if the workspace becomes
 * public later.
 */
async function shareRow(ctx: UserCtx, row: CardRow, isMoved: boolean): Promise<CardAnswer> {
  const { card_id } = row
  if (row.status === 'published' && row.review_status !== 'not_reviewed')
    return isMoved ? savedState(ctx, card_id) : presentCard(row, ctx.now())
  await holdAround(ctx, [card_id])
  refuseOutsider(row)
  await requireLeaveInTheOpen(ctx, row)
  refuseHidden(row)
  await requireMayPublish(ctx, { workspace_id: row.workspace_id, visibility: row.workspace_visibility })
  const verdict = await review(ctx, row, contentOf(row), row.evidence_count)
  refuseUnsafe(verdict)
  const now = ctx.now().toISOString()
  await updateCardRow(ctx.db, card_id, reviewColumns(verdict, now))
  if (row.status === 'published') return savedState(ctx, card_id)
  await updateCardRow(ctx.db, card_id, {
    status: 'published',
    published_at: now,
    updated_at: now,
    ...publishedColumns(row, now),
  })
  await emit(ctx, 'card.audience_changed', { cardId: card_id, isJudged: row.trust !== null })
  await markSuccession(ctx.db, card_id)
  await audit(ctx, {
    action: 'card.shared',
    subject: { type: 'card', id: card_id },
    workspaceId: row.workspace_id,
  })
  return savedState(ctx, card_id)
}

async function takeBack(ctx: UserCtx, row: CardRow): Promise<void> {
  await updateCardRow(ctx.db, row.card_id, {
    status: 'unpublished',
    workspace_id: row.origin_workspace_id,
    published_at: null,
    updated_at: ctx.now().toISOString(),
  })
  await emit(ctx, 'card.audience_changed', { cardId: row.card_id, isJudged: row.trust !== null })
  await markSuccession(ctx.db, row.card_id)
  await audit(ctx, {
    action: 'card.unpublished',
    subject: { type: 'card', id: row.card_id },
    workspaceId: row.workspace_id,
  })
}

/** The card in the workspace in which it is to be shared; one that is published elsewhere is taken back first. */
async function broughtTo(ctx: UserCtx, row: CardRow, workspaceId: string): Promise<CardRow> {
  const { workspace } = await requireRole(ctx, workspaceId, 'editor')
  if (workspace.type === 'personal')
    throw invalid(
      'workspace_id',
      'Nobody else is in a personal workspace. Name a team; kvault workspaces and GET /api/v1/workspaces list yours',
    )
  if (row.workspace_id === workspaceId) return row
  await holdAround(ctx, [row.card_id])
  let own = row
  if (row.workspace_id !== row.origin_workspace_id) {
    requireScope(ctx, 'publish')
    await takeBack(ctx, await ownCard(ctx, row.card_id, 'take back'))
    own = await readableCard(ctx, row.card_id)
  }
  if (own.workspace_id !== workspaceId) {
    requireScope(ctx, 'case:write')
    await moveTo(ctx, own, workspace)
  }
  return readableCard(ctx, row.card_id)
}

export const shareCard = capability({
  name: 'cards.share',
  summary: 'Share a card inside its workspace, or in another one',
  description:
    'Members of the workspace can then read and find it. With workspace_id it is moved there first, in the same step: that needs the role editor or admin there and the scope case:write, and a card that is published elsewhere is taken back by it, which needs publish. Without, it is not moved. It earns nothing. No review stands in the way, but strangers see a card in a public or unlisted workspace only once it has passed one, and there only its owner may share it, with the scope publish and while publishing is enabled in the user settings. A card that seems to hold a secret is refused, and in a public or unlisted workspace one that is dangerous to its readers. Sharing a shared card changes nothing.',
  scopes: ['record'],
  rest: ['POST /api/v1/cards/{card_id}/share', 'POST /api/v1/cases/{case_id}/share'],
  aliases: { case_id: 'card_id' },
  tool: {
    name: 'share_card',
    description: "Let the members of a card's workspace find and read it.",
    idempotent: true,
    input: CardId,
    thin: thinShare,
  },
  input: CardId.extend({
    workspace_id: Id.optional().describe('The team to share it with; left out: where it is'),
  }),
  output: CaseResponse,
  errors: [400, 404, 409, 412],
  prepare: (ctx, { card_id }) => reviewAhead(ctx, card_id),
  run: (ctx, { card_id, workspace_id }) =>
    inTx(ctx, async (ctx) => {
      const row = await editableUnmerged(ctx, card_id)
      const there = workspace_id === undefined ? row : await broughtTo(ctx, row, workspace_id)
      return shareRow(ctx, there, there !== row)
    }),
})

export const unpublishCard = capability({
  name: 'cards.unpublish',
  summary: 'Take a card back: it is unpublished, in the workspace it came from',
  description:
    'For the owner, even while publishing is disabled in the user settings. Credits stay as they are; publishing it again earns nothing.',
  scopes: ['publish'],
  rest: ['POST /api/v1/cards/{card_id}/unpublish', 'POST /api/v1/cases/{case_id}/unpublish'],
  aliases: { case_id: 'card_id' },
  tool: {
    name: 'unpublish_card',
    description: 'Take back a card that you shared or published; not a deletion.',
    idempotent: true,
    thin: thinState,
  },
  input: CardId,
  output: CaseResponse,
  errors: [404, 412],
  run: (ctx, { card_id }) =>
    inTx(
      ctx,
      async (ctx) => {
        await holdCard(ctx, card_id)
        const row = await ownCard(ctx, card_id, 'unpublish')
        if (row.status === 'unpublished') return presentCard(row, ctx.now())
        await takeBack(ctx, row)
        return savedState(ctx, card_id)
      },
      SELF_GUARDED,
    ),
})
