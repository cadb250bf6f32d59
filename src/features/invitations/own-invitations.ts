import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx } from '../../core/context.ts'
import { conflict, notFound } from '../../core/errors.ts'
import { Id } from '../../core/schemas.ts'
import { audit } from '../audit/audit.ts'
import { cancelMails } from '../mail/outbox.ts'
import { MembershipResponse } from '../workspaces/members.ts'
import { findOwnInvite, updateInvite } from './invitations.store.ts'
import { accept, requireUsable } from './invitations.ts'

export const acceptOwnInvite = capability({
  name: 'invites.accept_own',
  summary: 'Accept an invitation that stands in your inbox; no link needed',
  scopes: ['workspace:write'],
  rest: ['POST /api/v1/invites/{invite_id}/accept'],
  errors: [404, 409, 410],
  input: z.object({ invite_id: Id }),
  output: MembershipResponse,
  run: (ctx, { invite_id }) =>
    inTx(ctx, async (ctx) => {
      const found = await findOwnInvite(ctx.db, ctx.viewer.userId, invite_id)
      return accept(ctx, requireUsable(ctx, found))
    }),
})

export const declineOwnInvite = capability({
  name: 'invites.decline_own',
  summary: 'Decline an invitation that stands in your inbox; its link ends too',
  scopes: ['workspace:write'],
  rest: ['POST /api/v1/invites/{invite_id}/decline'],
  errors: [404, 409],
  input: z.object({ invite_id: Id }),
  output: z
    .object({ invite_id: z.string(), status: z.literal('revoked') })
    .meta({ id: 'WorkspaceInviteDeclined' }),
  run: (ctx, { invite_id }) =>
    inTx(ctx, async (ctx) => {
      const found = await findOwnInvite(ctx.db, ctx.viewer.userId, invite_id)
      if (!found) throw notFound('Invitation')
      if (found.status !== 'pending')
        throw conflict('invite_not_pending', `This invitation has been ${found.status} already.`)
      await updateInvite(ctx.db, invite_id, { status: 'revoked' })
      await cancelMails(ctx, `invite:${invite_id}`)
      await audit(ctx, {
        action: 'invite.declined',
        subject: { type: 'invite', id: invite_id },
        workspaceId: found.workspace_id,
        details: { email: found.email },
      })
      return { invite_id, status: 'revoked' as const }
    }),
})
