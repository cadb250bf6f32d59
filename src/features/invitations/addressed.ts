import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { forbidden, notFound } from '../../core/errors.ts'
import { AnswerId, Id, Time } from '../../core/schemas.ts'
import { audit } from '../audit/audit.ts'
import { requireUser } from '../identity/users/users.ts'
import { cancelMails } from '../mail/outbox.ts'
import { isEveryAddressProven } from '../mail/provable.ts'
import { RoleName } from '../permissions/policy.ts'
import { MembershipResponse } from '../workspaces/members.ts'
import {
  type AddressedInvite,
  type Addressee,
  findInviteFor,
  listInvitesFor,
  updateInvite,
} from './invitations.store.ts'
import { joinByInvite } from './invitations.ts'
import { presentInvite } from './invite-schemas.ts'

const MyInvitation = z
  .object({
    invite_id: AnswerId,
    workspace_name: z.string(),
    inviter_name: z.string(),
    role: RoleName,
    created_at: Time,
    expires_at: Time,
    can_accept: z
      .boolean()
      .describe(
        'No link is needed: your address is confirmed, or an admin named your account. Otherwise use the link itself.',
      ),
  })
  .meta({ id: 'MyInvitation' })

type Reader = Addressee & { isConfirmed: boolean }

/**
 * A person sees invitations to their account, and to its address. If the server sends mail, the address must be
 * confirmed first: anybody can register somebody else's. Without mail no address can be confirmed. Then it is enough
 * for seeing and declining, but not for joining, where the link is the only proof.
 */
async function readerOf(ctx: UserCtx): Promise<Reader> {
  const user = await requireUser(ctx, ctx.viewer.userId)
  const isConfirmed = user.email_verified === 1
  const isShown = isConfirmed || isEveryAddressProven(ctx)
  return { userId: user.user_id, address: isShown ? user.email_normal : null, isConfirmed }
}

const mayAccept = (reader: Reader, invite: AddressedInvite): boolean =>
  reader.isConfirmed || invite.for_user_id === reader.userId

export const listMyInvitations = capability({
  name: 'invitations.mine',
  summary: 'The open invitations addressed to you, newest first',
  description:
    'Sent to the e-mail address of your account, or made when an admin wanted to add you and you ask to be asked first. On a server that sends mail the address must be confirmed; until then invitations to it are not shown.',
  scopes: ['account'],
  rest: ['GET /api/v1/invitations'],
  input: z.object({}),
  output: z.array(MyInvitation),
  run: async (ctx) => {
    const reader = await readerOf(ctx)
    const rows = await listInvitesFor(ctx.db, reader, ctx.now().toISOString())
    return rows.map((row) => ({ ...row, can_accept: mayAccept(reader, row) }))
  },
})

type Mine = { reader: Reader; invite: AddressedInvite }

async function requireMine(ctx: UserCtx, inviteId: string): Promise<Mine> {
  const reader = await readerOf(ctx)
  const invite = await findInviteFor(ctx.db, reader, inviteId, ctx.now().toISOString())
  if (!invite) throw notFound('Invitation', 'It may have been revoked, replaced or answered.')
  return { reader, invite }
}

export const declineInvitation = capability({
  name: 'invitations.decline',
  summary: 'Decline an invitation addressed to you; its link stops working',
  description: 'The admins of the workspace see that you declined. They can invite you again.',
  scopes: ['account'],
  rest: ['POST /api/v1/invitations/{invite_id}/decline'],
  status: 204,
  errors: [404],
  input: z.object({ invite_id: Id }),
  output: z.void(),
  run: (ctx, { invite_id }) =>
    inTx(ctx, async (ctx) => {
      const { invite } = await requireMine(ctx, invite_id)
      await updateInvite(ctx.db, invite_id, { status: 'revoked', declined_at: ctx.now().toISOString() })
      await cancelMails(ctx, `invite:${invite_id}`)
      await audit(ctx, {
        action: 'invite.declined',
        subject: { type: 'invite', id: invite_id },
        workspaceId: invite.workspace_id,
        details: { email: presentInvite(invite).email },
      })
    }),
})

export const acceptInvitation = capability({
  name: 'invitations.accept',
  summary: 'Accept an invitation addressed to you without its link',
  description: 'Your address must be confirmed, unless an admin named your account.',
  scopes: ['account', 'workspace:write'],
  rest: ['POST /api/v1/invitations/{invite_id}/accept'],
  errors: [404, 409],
  input: z.object({ invite_id: Id }),
  output: MembershipResponse,
  run: (ctx, { invite_id }) =>
    inTx(ctx, async (ctx) => {
      const { invite, reader } = await requireMine(ctx, invite_id)
      if (!mayAccept(reader, invite))
        throw forbidden('Your e-mail address is not confirmed. Open the link that you were given instead.')
      return joinByInvite(ctx, invite)
    }),
})
