import type { Ctx } from '../../core/context.ts'
import type { ModerationDecision } from '../../db/tables/moderation.ts'
import { findUser } from '../identity/users/users.ts'
import { tell, tellByMail } from '../notices/tell.ts'
import { whoModerates } from './moderators.ts'

/** Removes the viewer, so that no message names who reported or who decided. */
const unnamed = (ctx: Ctx): Ctx => ({ ...ctx, viewer: null })

type Told = { owner_id: string; card_id: string; workspace_id: string }

/** Tells the owner at once, in the inbox and by mail if their settings allow it. */
export async function tellOwner(
  ctx: Ctx,
  { owner_id, card_id }: Told,
  outcome: 'hidden_by_reports' | ModerationDecision,
  reason?: string,
): Promise<void> {
  const owner = await findUser(ctx.db, owner_id)
  if (!owner || owner.deleted_at !== null) return
  const kind = outcome === 'hidden_by_reports' ? 'card.hidden' : 'card.moderated'
  await tellByMail(unnamed(ctx), owner, 'A moderator', {
    userId: owner_id,
    kind,
    subjectId: card_id,
    details: {
      ...(outcome === 'hidden_by_reports' ? {} : { decision: outcome }),
      ...(reason ? { reason } : {}),
    },
  })
}

/**
 * Each moderator has at most one unread notice for each workspace, however many matters wait there. They are told in one
 * order, because two reports at the same moment tell the same people.
 */
export async function tellModerators(ctx: Ctx, { owner_id, workspace_id: workspaceId }: Told): Promise<void> {
  const { userIds, workspaceName } = await whoModerates(ctx, workspaceId)
  const details = { workspace_name: workspaceName }
  for (const userId of userIds.toSorted())
    if (userId !== owner_id)
      await tell(unnamed(ctx), { userId, kind: 'moderation.waiting', workspaceId, details })
}
