import type { UserCtx } from '../../core/context.ts'
import type { MembershipsTable } from '../../db/tables/workspaces.ts'
import { audit } from '../audit/audit.ts'
import { cancelMails } from '../mail/outbox.ts'
import {
  forgetAddressInInvites,
  revokeInvitesBy,
  revokeInvitesNaming,
  revokeInvitesTo,
} from './members.store.ts'

async function noteRevoked(
  ctx: UserCtx,
  workspaceId: string,
  revoked: Awaited<ReturnType<typeof revokeInvitesBy>>,
  why: string,
): Promise<void> {
  for (const { invite_id, email, address_known } of revoked) {
    await cancelMails(ctx, `invite:${invite_id}`)
    await audit(ctx, {
      action: 'invite.revoked',
      subject: { type: 'invite', id: invite_id },
      workspaceId,
      details: { email: address_known === 1 ? email : '', why },
    })
  }
}

/**
 * Call it in the transaction that takes the role of an admin from a member. Who sends an invitation knows its token, and
 * could come back by it with the role that was taken.
 */
export async function withdrawInvitesOf(ctx: UserCtx, former: MembershipsTable): Promise<void> {
  if (former.role !== 'admin') return
  const { workspace_id, user_id } = former
  const revoked = await revokeInvitesBy(ctx.db, workspace_id, user_id)
  await noteRevoked(ctx, workspace_id, revoked, 'its sender is no longer an admin')
}

/** Who was added while an invitation to them was open still has its link, and could come back by it once removed. */
export async function withdrawInvitesTo(ctx: UserCtx, removed: MembershipsTable): Promise<void> {
  const { workspace_id, user_id } = removed
  const revoked = await revokeInvitesTo(ctx.db, workspace_id, user_id)
  await noteRevoked(ctx, workspace_id, revoked, 'the invited person was removed')
}

/**
 * For an account that is deleted. An admin who named it by its id never had its address, and could otherwise go on to
 * have it mailed. An invitation to an address that an admin wrote stays.
 */
export async function withdrawInvitesNaming(ctx: UserCtx, userId: string): Promise<void> {
  for (const revoked of await revokeInvitesNaming(ctx.db, userId))
    await noteRevoked(ctx, revoked.workspace_id, [revoked], 'the invited account was deleted')
  await forgetAddressInInvites(ctx.db, userId)
}
