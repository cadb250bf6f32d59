import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { conflict, forbidden } from '../../core/errors.ts'
import { emit } from '../../core/events.ts'
import { Id } from '../../core/schemas.ts'
import type { WorkspacesTable } from '../../db/tables/workspaces.ts'
import { audit } from '../audit/audit.ts'
import { requireRole, roleOf } from '../permissions/permission.ts'
import { refuseHidden, requireMayPublish } from '../sanctions/sanctions.ts'
import { updateCardRow } from './cards.store.ts'
import { contentOf } from './content.ts'
import { holdAround } from './hold-card.ts'
import { presentCard } from './present.ts'
import { requireLeave } from './publish.ts'
import { refuseUnsafe, review, reviewAhead, reviewColumns } from './review.ts'
import { savedState } from './saved.ts'
import { CardId, CaseResponse } from './schemas.ts'
import type { CardRow } from './select.ts'
import { markSuccession } from './succession-mark.ts'
import { editableUnmerged } from './unmerged-card.ts'

const POLICY_HOLDS =
  'The policy of this workspace does not let its cards out, so they cannot be moved either. An admin can change that.'

async function requireMovable(ctx: UserCtx, row: CardRow, targetId: string): Promise<void> {
  if (row.workspace_id !== row.origin_workspace_id)
    throw conflict(
      'card_published',
      'This card is published outside the workspace it came from. Take it back first, then move it.',
    )
  await requireLeave(ctx, row, POLICY_HOLDS)
  // Otherwise an editor could move a colleague's card to a workspace where its owner is a stranger, and control it there.
  if (row.owner_id !== ctx.viewer.userId && !(await roleOf(ctx, targetId, row.owner_id)))
    throw forbidden("Somebody else's card can be moved only to where its owner is a member too.")
}

/**
 * A card stays shared only in a private team. Elsewhere it arrives unpublished, so that a move alone shows it to no
 * stranger.
 */
const staysShared = ({ visibility, type }: WorkspacesTable) => visibility === 'private' && type !== 'personal'

/** A shared card that arrives in a team is read there at once: the policy of that team speaks first. */
async function reviewedThere(ctx: UserCtx, row: CardRow, workspaceId: string) {
  if (row.status !== 'published') return {}
  const verdict = await review(ctx, { ...row, workspace_id: workspaceId }, contentOf(row), row.evidence_count)
  refuseUnsafe(verdict)
  return reviewColumns(verdict, ctx.now().toISOString())
}

/** Call it in a transaction, after the viewer's right to write in the target was checked. */
export async function moveTo(ctx: UserCtx, row: CardRow, target: WorkspacesTable): Promise<void> {
  const { card_id } = row
  const { workspace_id } = target
  refuseHidden(row)
  await requireMovable(ctx, row, workspace_id)
  if (staysShared(target) && row.status === 'published') await requireMayPublish(ctx, target)
  const reviewed = staysShared(target) ? await reviewedThere(ctx, row, workspace_id) : {}
  await updateCardRow(ctx.db, card_id, {
    workspace_id,
    origin_workspace_id: workspace_id,
    updated_at: ctx.now().toISOString(),
    ...reviewed,
    ...(staysShared(target) ? {} : { status: 'unpublished' as const, published_at: null }),
  })
  await emit(ctx, 'card.audience_changed', { cardId: card_id, isJudged: row.trust !== null })
  await markSuccession(ctx.db, card_id)
  const subject = { type: 'card', id: card_id }
  // Both audit logs record it: one workspace has lost a card, the other has received one.
  await audit(ctx, {
    action: 'card.moved_out',
    subject,
    workspaceId: row.workspace_id,
    details: { to_workspace_id: workspace_id },
  })
  await audit(ctx, {
    action: 'card.moved_in',
    subject,
    workspaceId: workspace_id,
    details: { from_workspace_id: row.workspace_id },
  })
}

export const moveCard = capability({
  name: 'cards.move',
  summary: 'Move a card to another workspace',
  description:
    'For people who may edit the card and are editor or admin in the target. The text, evidence, feedback and owner stay. A shared card stays shared in a private team, after the review that the policy of that team asks for (400 where it says block); in a personal, public or unlisted workspace it arrives unpublished. Not for cards published outside the workspace they came from (409), nor out of a workspace whose policy has allow_publish: false.',
  scopes: ['record', 'case:write'],
  rest: ['POST /api/v1/cards/{card_id}/move', 'POST /api/v1/cases/{case_id}/move'],
  aliases: { case_id: 'card_id' },
  input: CardId.extend({ workspace_id: Id.describe('Where the card goes') }),
  output: CaseResponse,
  errors: [400, 404, 409, 412],
  prepare: (ctx, { card_id }) => reviewAhead(ctx, card_id),
  run: (ctx, { card_id, workspace_id }) =>
    inTx(ctx, async (ctx) => {
      const row = await editableUnmerged(ctx, card_id)
      const { workspace } = await requireRole(ctx, workspace_id, 'editor')
      if (row.workspace_id === workspace_id) return presentCard(row, ctx.now())
      await holdAround(ctx, [card_id])
      await moveTo(ctx, row, workspace)
      return savedState(ctx, card_id)
    }),
})
