import type { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { forbidden, notFound } from '../../core/errors.ts'
import type { Role, UsersTable } from '../../db/schema.ts'
import { findUserByEmail, requireUser, settingsOf } from '../identity/index.ts'
import { hasRoomInMailbox } from '../mail/index.ts'
import { tell, tellByMail } from '../notices/index.ts'
import { type Policy, policyOf, requireProvenDomain, requireRole } from '../permissions/index.ts'
import {
  alreadyMember,
  isMember,
  join,
  knowsAddress,
  MembershipCreate,
  MembershipCreateByEmail,
  MembershipResponse,
  requireShared,
} from './members.ts'
import { inviteAccount, limitMassInvites } from './send-invitations.ts'

type Addition = { workspace_id: string; role: Role | undefined; isAddressKnown: boolean }

/** Answers the same for every account, so as not to reveal the domain of an author's address. */
async function requireDomain(
  ctx: UserCtx,
  policy: Policy,
  user: UsersTable,
  isAddressKnown: boolean,
): Promise<void> {
  if (policy.inviteDomains === null) return
  if (!isAddressKnown && !(await knowsAddress(ctx, user.user_id)))
    throw forbidden(
      `This workspace accepts only people of these domains: ${policy.inviteDomains.join(', ')}. An id does not say which domain its person is of. Add them by e-mail address, or send an invitation.`,
    )
  requireProvenDomain(ctx, policy, user)
}

/** Adds a user, or invites one who wants to be asked first. */
async function addUser(
  ctx: UserCtx,
  { workspace_id, role, isAddressKnown }: Addition,
  find: (ctx: UserCtx) => Promise<UsersTable>,
): Promise<z.input<typeof MembershipResponse>> {
  limitMassInvites(ctx)
  return inTx(ctx, async (ctx) => {
    const { workspace } = await requireRole(ctx, workspace_id, 'admin')
    requireShared(workspace)
    const policy = policyOf(workspace)
    const user = await find(ctx)
    if (await isMember(ctx, workspace_id, user.user_id)) throw alreadyMember()
    await requireDomain(ctx, policy, user, isAddressKnown)
    const given = role ?? policy.defaultRole
    if (user.user_id !== ctx.viewer.userId && settingsOf(user).ask_before_added)
      return inviteAccount(ctx, workspace_id, user, { role: given, isAddressKnown })
    const membership = await join(ctx, workspace_id, user.user_id, given, { isAddressKnown })
    await tellAdded(ctx, user, { workspaceId: workspace_id, workspace_name: workspace.name, role: given })
    return membership
  })
}

async function tellAdded(
  ctx: UserCtx,
  user: UsersTable,
  { workspaceId, ...details }: { workspaceId: string; workspace_name: string; role: Role },
): Promise<void> {
  const telling = { userId: user.user_id, kind: 'workspace.added', workspaceId, details } as const
  if (!(await hasRoomInMailbox(ctx, 'added', user.email ?? ''))) return tell(ctx, telling)
  const { display_name } = await requireUser(ctx, ctx.viewer.userId)
  await tellByMail(ctx, { user, actor: display_name }, telling)
}

export const addMember = capability({
  name: 'members.add',
  summary: 'Add a user to a workspace by user id; admins only',
  description:
    'Where the policy has invite_domains, only people whose address you read as a member of a workspace; otherwise 403, and you add them by e-mail address or invite them.',
  scopes: ['workspace:write'],
  rest: ['POST /api/v1/workspaces/{workspace_id}/members'],
  errors: [404, 409, 429],
  input: MembershipCreate,
  output: MembershipResponse,
  run: (ctx, { workspace_id, user_id, role }) =>
    addUser(ctx, { workspace_id, role, isAddressKnown: false }, (ctx) => requireUser(ctx, user_id)),
})

export const addMemberByEmail = capability({
  name: 'members.add_by_email',
  summary: 'Add somebody who has an account to a workspace by e-mail address; admins only',
  description:
    'They are told, and may leave. A person who has chosen to be asked first gets an invitation instead; the answer then says status: invited.',
  scopes: ['workspace:write'],
  rest: ['POST /api/v1/workspaces/{workspace_id}/members/by-email'],
  errors: [404, 409, 429],
  tool: {
    name: 'add_workspace_member_by_email',
    fieldsOf: 'invite_workspace_member',
    title: 'Add member',
    description: 'Add somebody with an account at once. Admins only.',
  },
  input: MembershipCreateByEmail,
  output: MembershipResponse,
  run: (ctx, { workspace_id, email, role }) =>
    addUser(ctx, { workspace_id, role, isAddressKnown: true }, async (ctx) => {
      const user = await findUserByEmail(ctx.db, email)
      if (!user)
        throw notFound('User', 'Nobody here has this e-mail address: send an invitation to it instead.')
      return user
    }),
})
