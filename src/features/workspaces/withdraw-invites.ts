import type { UserCtx } from '../../core/context.ts'
import type { MembershipsTable } from '../../db/tables/workspaces.ts'
import { audit } from '../audit/audit.ts'
import { cancelMails } from '../mail/outbox.ts'
import { revokeInvitesBy } from './members.store.ts'

/**
 * Call it in the transaction that takes the role of an admin from a member. Who sends an invitation knows its token, and
 * could come back by it with the role that was taken.
 */
export async function withdrawInvitesOf(ctx: UserCtx, former: MembershipsTable): Promise<void> {
  if (former.role !== 'admin') return
  const { workspace_id, user_id } = former
  for (const { invite_id, email, address_known } of await revokeInvitesBy(ctx.db, workspace_id, user_id)) {
    await cancelMails(ctx, `invite:${invite_id}`)
    await audit(ctx, {
      action: 'invite.revoked',
      subject: { type: 'invite', id: invite_id },
      workspaceId: workspace_id,
      details: { email: address_known === 1 ? email : '', why: 'its sender is no longer an admin' },
    })
  }
}
