import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, type UserCtx } from '../../core/context.ts'
import { sha256 } from '../../core/crypto.ts'
import { conflict, forbidden, gone, notFound } from '../../core/errors.ts'
import { AnswerId, Id, Time } from '../../core/schemas.ts'
import type { WorkspaceInvitesTable } from '../../db/schema.ts'
import { audit } from '../audit/index.ts'
import { requireUser } from '../identity/index.ts'
import { cancelMails, isEveryAddressProven } from '../mail/index.ts'
import { tell } from '../notices/index.ts'
import { domainAllowed, isProven, policyOf, RoleName, requireRole } from '../permissions/index.ts'
import { isMember, join, MembershipResponse } from './members.ts'
import {
  type AddressedInvite,
  type Addressee,
  countOpenInvitesOf,
  deleteInvitesOf,
  findInviteByToken,
  findInviteFor,
  InviteToken,
  listInvitesFor,
  listInvitesOf,
  markRegistered,
  namesFor,
  presentInvite,
  requireOpenInvite,
  updateInvite,
  WorkspaceInviteAccept,
  WorkspaceInvitePublicResponse,
  WorkspaceInviteResponse,
} from './send-invitations.ts'

const MAX_LISTED = 1000

export const listInvites = capability({
  name: 'invites.list',
  summary: 'The open invitations of a workspace, newest first; with include_history all of them; admins only',
  description: `The newest ${MAX_LISTED}.`,
  scopes: ['workspace:write'],
  rest: ['GET /api/v1/workspaces/{workspace_id}/invites'],
  errors: [404],
  tool: {
    name: 'list_workspace_invites',
    title: 'List invitations',
    description: 'List open invitations, with include_history all. Admins only.',
    readOnly: true,
  },
  input: z.object({ workspace_id: Id, include_history: z.boolean().default(false) }),
  output: z.array(WorkspaceInviteResponse),
  run: async (ctx, { workspace_id, include_history }) => {
    await requireRole(ctx, workspace_id, 'admin')
    const rows = await listInvitesOf(ctx.db, workspace_id, { history: include_history, limit: MAX_LISTED })
    return rows.map(presentInvite)
  },
})

export const revokeInvite = capability({
  name: 'invites.revoke',
  summary: 'Revoke an open invitation; its link stops working; admins only',
  scopes: ['workspace:write'],
  rest: ['DELETE /api/v1/workspaces/{workspace_id}/invites/{invite_id}'],
  errors: [404, 409],
  tool: {
    name: 'revoke_workspace_invite',
    title: 'Revoke invitation',
    description: 'End an open invitation and its link. Admins only.',
    destructive: true,
  },
  input: z.object({ workspace_id: Id, invite_id: Id }),
  output: z
    .object({ invite_id: AnswerId, status: z.literal('revoked') })
    .meta({ id: 'WorkspaceInviteRevoked' }),
  run: (ctx, { workspace_id, invite_id }) =>
    inTx(ctx, async (ctx) => {
      const open = await requireOpenInvite(ctx, workspace_id, invite_id)
      await updateInvite(ctx.db, invite_id, { status: 'revoked' })
      await cancelMails(ctx, `invite:${invite_id}`)
      await audit(ctx, {
        action: 'invite.revoked',
        subject: { type: 'invite', id: invite_id },
        workspaceId: workspace_id,
        details: { email: presentInvite(open).email },
      })
      return { invite_id, status: 'revoked' as const }
    }),
})

const hasEnded = (ctx: Ctx, { expires_at }: WorkspaceInvitesTable) => expires_at <= ctx.now().toISOString()

const goneInvite = () =>
  notFound('Invitation', 'The link may have been replaced by a newer one. Ask for a new invitation.')

/** Returns the invitation of a token. A revoked one gets the same answer as an unknown one. */
async function requireInvite(ctx: Ctx, token: string): Promise<WorkspaceInvitesTable> {
  const found = await findInviteByToken(ctx.db, sha256(token))
  if (!found || found.status === 'revoked') throw goneInvite()
  if (found.status === 'pending' && hasEnded(ctx, found))
    throw gone('This invitation has expired. Ask for a new one.')
  return found
}

/**
 * A token allows one registration, so that a leaked link lets nobody in. Call it in the transaction of the
 * registration.
 */
export async function spendOnRegistration(ctx: Ctx, token: string): Promise<boolean> {
  const tokenHash = sha256(token)
  const found = await findInviteByToken(ctx.db, tokenHash)
  if (found?.status !== 'pending' || hasEnded(ctx, found)) return false
  if (
    ctx.config.registration === 'invite' &&
    !(await markRegistered(ctx.db, tokenHash, ctx.now().toISOString()))
  )
    throw conflict(
      'invite_not_pending',
      'Somebody has already registered with this invitation. If it was you, sign in with that account and open the link again; you can correct its address in the settings. Otherwise ask for the invitation to be sent again.',
    )
  return true
}

/** The link stays in mails and must not reveal a private workspace to someone who has left. */
async function hasLeft(ctx: Ctx, { accepted_by, workspace_id }: WorkspaceInvitesTable): Promise<boolean> {
  return accepted_by !== null && !(await isMember(ctx, workspace_id, accepted_by))
}

export const viewInvite = capability({
  name: 'invites.view',
  summary: 'What the page behind an invitation link shows; no sign-in needed',
  description:
    'An accepted invitation is shown for as long as who accepted it is a member of the workspace; then 404, like a revoked one.',
  scopes: 'public',
  rest: ['GET /api/v1/workspaces/invites/{token}'],
  errors: [404, 410],
  input: z.object({ token: InviteToken }),
  output: WorkspaceInvitePublicResponse,
  run: async (ctx, { token }) => {
    const found = await requireInvite(ctx, token)
    if (await hasLeft(ctx, found)) throw goneInvite()
    return { ...presentInvite(found), ...(await namesFor(ctx.db, found)) }
  },
})

/** The token is the permission, since people have several addresses; a workspace's domains need proof. */
async function requireWelcome(ctx: UserCtx, invite: WorkspaceInvitesTable): Promise<void> {
  const workspace = await ctx.db
    .selectFrom('workspaces')
    .select('policy_json')
    .where('workspace_id', '=', invite.workspace_id)
    .executeTakeFirstOrThrow()
  const user = await requireUser(ctx, ctx.viewer.userId)
  const policy = policyOf(workspace)
  if (policy.inviteDomains === null) return
  const invited = user.email_normal === invite.email_normal
  const ofDomain = domainAllowed(policy, user.email_normal ?? '')
  if (invited ? isProven(ctx, user) : ofDomain && user.email_verified === 1) return
  const advice =
    invited || ofDomain ? 'Confirm your e-mail address first.' : 'Sign in with the invited address.'
  throw forbidden(
    `This workspace accepts only people of these domains: ${policy.inviteDomains.join(', ')}. ${advice}`,
  )
}

export const countOpenInvites = (ctx: Ctx, workspaceId: string): Promise<number> =>
  countOpenInvitesOf(ctx.db, workspaceId)

/** Call it in the transaction that deletes the workspace. */
export async function endInvitesOf(ctx: Ctx, workspaceId: string): Promise<void> {
  for (const { invite_id } of await listInvitesOf(ctx.db, workspaceId, { history: false }))
    await cancelMails(ctx, `invite:${invite_id}`)
  await deleteInvitesOf(ctx.db, workspaceId)
}

/** Makes the viewer a member. The caller must have checked that the invitation is for the viewer. */
async function joinByInvite(ctx: UserCtx, found: WorkspaceInvitesTable) {
  await requireWelcome(ctx, found)
  const membership = await join(ctx, found.workspace_id, ctx.viewer.userId, found.role, {
    isAddressKnown: found.address_known === 1,
  })
  await updateInvite(ctx.db, found.invite_id, {
    status: 'accepted',
    accepted_at: ctx.now().toISOString(),
    accepted_by: ctx.viewer.userId,
  })
  await cancelMails(ctx, `invite:${found.invite_id}`)
  await audit(ctx, {
    action: 'invite.accepted',
    subject: { type: 'invite', id: found.invite_id },
    workspaceId: found.workspace_id,
    details: { email: presentInvite(found).email, role: found.role },
  })
  await tellInviter(ctx, found)
  return membership
}

/** Tells the inviter, unless that person has left the workspace. */
async function tellInviter(ctx: UserCtx, invite: WorkspaceInvitesTable): Promise<void> {
  const { workspace_id: workspaceId, invited_by: userId, invite_id: subjectId, role } = invite
  if (!(await isMember(ctx, workspaceId, userId))) return
  const { workspace_name } = await namesFor(ctx.db, invite)
  await tell(ctx, {
    userId,
    kind: 'workspace.joined',
    workspaceId,
    subjectId,
    details: { workspace_name, role },
  })
}

export const acceptInvite = capability({
  name: 'invites.accept',
  summary: 'Accept an invitation; you become a member with its role',
  scopes: ['workspace:write'],
  rest: ['POST /api/v1/workspaces/invites/accept'],
  errors: [404, 409, 410],
  tool: {
    name: 'accept_workspace_invite',
    title: 'Join workspace',
    description: 'Join a workspace by the token of an invitation.',
  },
  input: WorkspaceInviteAccept,
  output: MembershipResponse,
  run: (ctx, { token }) =>
    inTx(ctx, async (ctx) => {
      const found = await requireInvite(ctx, token)
      if (found.status !== 'pending')
        throw conflict('invite_not_pending', 'This invitation has already been accepted.')
      return joinByInvite(ctx, found)
    }),
})

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

/** With mail the address must be confirmed, because anybody can register another person's. */
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
