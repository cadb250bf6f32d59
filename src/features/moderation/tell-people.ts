import type { Ctx } from '../../core/context.ts'
import type { ModerationDecision } from '../../db/tables/moderation.ts'
import { LEFT_WORKSPACE } from '../cards/home.ts'
import { findUser } from '../identity/users/users.ts'
import { tell, tellByMail } from '../notices/tell.ts'
import { mayKnowOf } from '../permissions/permission.ts'
import type { BanRow } from './bans.store.ts'
import { whoModerates } from './moderators.ts'

/** Removes the viewer, so that no message names who reported or who decided. */
const unnamed = (ctx: Ctx): Ctx => ({ ...ctx, viewer: null })

type Told = { owner_id: string; card_id: string; workspace_id: string }
type Matter = Told & { matter_id: string; revision: number }
type Said = { reason?: string; isBanned?: boolean; isUnbanned?: boolean }

/** Tells the owner at once, in the inbox and by mail if their settings allow it; also of a second decision on one day. */
export async function tellOwner(
  ctx: Ctx,
  { owner_id, card_id, matter_id, revision }: Matter,
  outcome: 'hidden_by_reports' | ModerationDecision,
  { reason, isBanned = false, isUnbanned = false }: Said = {},
): Promise<void> {
  const user = await findUser(ctx.db, owner_id)
  if (!user || user.deleted_at !== null) return
  const kind = outcome === 'hidden_by_reports' ? 'card.hidden' : 'card.moderated'
  const mailed = { user, actor: 'A moderator', state: `${matter_id}:${revision}` }
  await tellByMail(unnamed(ctx), mailed, {
    userId: owner_id,
    kind,
    subjectId: card_id,
    details: {
      ...(outcome === 'hidden_by_reports' ? {} : { decision: outcome }),
      ...(reason ? { reason } : {}),
      ...(isBanned ? { banned: true } : {}),
      ...(isUnbanned ? { unbanned: true } : {}),
    },
  })
}

/** What a ban without a workspace is about. */
const EVERYWHERE = 'the library, and in public and unlisted workspaces,'

type Lifted = Pick<
  BanRow,
  'ban_id' | 'user_id' | 'workspace_id' | 'workspace_name' | 'visibility' | 'role_there'
>

/** The person may have left the private team in which they were banned. */
function nameToSay({ workspace_name, visibility, role_there }: Lifted): string {
  if (workspace_name === null) return EVERYWHERE
  return mayKnowOf(visibility, role_there) ? workspace_name : `${LEFT_WORKSPACE},`
}

/** Tells the person as a ban does, in the inbox and by mail. */
export async function tellUnbanned(ctx: Ctx, ban: Lifted, reason: string): Promise<void> {
  const user = await findUser(ctx.db, ban.user_id)
  if (!user) return
  await tellByMail(
    unnamed(ctx),
    { user, actor: 'A moderator', state: ban.ban_id },
    {
      userId: ban.user_id,
      kind: 'publisher.ban_lifted',
      subjectId: ban.ban_id,
      ...(ban.workspace_id === null ? {} : { workspaceId: ban.workspace_id }),
      details: { workspace_name: nameToSay(ban), reason },
    },
  )
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
