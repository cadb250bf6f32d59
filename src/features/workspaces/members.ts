import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import type { Ctx, UserCtx } from '../../core/context.ts'
import { inTx } from '../../core/context.ts'
import { conflict, notFound } from '../../core/errors.ts'
import { Provenance } from '../../core/provenance.ts'
import { AnswerId, Email, Id, Time } from '../../core/schemas.ts'
import type { UsersTable } from '../../db/tables/accounts.ts'
import type { MembershipsTable, Role, WorkspacesTable } from '../../db/tables/workspaces.ts'
import { audit } from '../audit/audit.ts'
import { requireUser, userByEmail } from '../identity/users/users.ts'
import { requireRole } from '../permissions/permission.ts'
import { policyOf, RoleName, requireAllowedDomain } from '../permissions/policy.ts'
import { countAdmins, deleteMembership, findMembership, listMembersOf, setRole } from './members.store.ts'
import { insertMembership } from './workspaces.store.ts'

/** Left out, it is what the workspace's policy says, and viewer where that says nothing. */
export const OptionalRole = RoleName.optional().meta({
  default: 'viewer',
  description: 'Left out: the default_role of the workspace policy, or viewer.',
})

export const MembershipCreate = z
  .object({ workspace_id: Id, user_id: Id, role: OptionalRole })
  .meta({ id: 'MembershipCreate' })

export const MembershipCreateByEmail = z
  .object({ workspace_id: Id, email: Email, role: OptionalRole })
  .meta({ id: 'MembershipCreateByEmail' })

export const MembershipUpdate = z
  .object({ workspace_id: Id, user_id: Id, role: RoleName })
  .meta({ id: 'MembershipUpdate' })

export const MembershipResponse = z
  .object({ workspace_id: AnswerId, user_id: AnswerId, role: RoleName, created_at: Time })
  .meta({ id: 'MembershipResponse' })

export const WorkspaceMemberResponse = MembershipResponse.extend({
  email: z.string(),
  display_name: z.string(),
  provenance: Provenance.describe('Who chose the name'),
}).meta({ id: 'WorkspaceMemberResponse' })

export const alreadyMember = () =>
  conflict('already_member', 'This person is a member of the workspace already.')

export function requireShared(workspace: WorkspacesTable): void {
  if (workspace.type === 'personal')
    throw conflict(
      'personal_workspace',
      'A personal workspace has one member. Create a workspace of type org to work with others.',
    )
}

export const isMember = async (ctx: Ctx, workspaceId: string, userId: string): Promise<boolean> =>
  (await findMembership(ctx.db, workspaceId, userId)) !== undefined

/** Makes somebody a member, inside the caller's transaction; whether they may be is decided before. */
export async function join(
  ctx: UserCtx,
  workspaceId: string,
  userId: string,
  role: Role,
): Promise<MembershipsTable> {
  if (await isMember(ctx, workspaceId, userId)) throw alreadyMember()
  const row = { workspace_id: workspaceId, user_id: userId, role, created_at: ctx.now().toISOString() }
  await insertMembership(ctx.db, row)
  await audit(ctx, {
    action: 'member.added',
    subject: { type: 'user', id: userId },
    workspaceId,
    details: { role },
  })
  return row
}

type Addition = { workspace_id: string; role: Role | undefined }

const addUser = (
  ctx: UserCtx,
  { workspace_id, role }: Addition,
  find: (ctx: UserCtx) => Promise<UsersTable>,
) =>
  inTx(ctx, async (ctx) => {
    const { workspace } = await requireRole(ctx, workspace_id, 'admin')
    requireShared(workspace)
    const policy = policyOf(workspace)
    const user = await find(ctx)
    requireAllowedDomain(policy, user.email_normal ?? '')
    return join(ctx, workspace_id, user.user_id, role ?? policy.defaultRole)
  })

export const addMember = capability({
  name: 'members.add',
  summary: 'Add a user to a workspace by user id; admins only',
  scopes: ['workspace:write'],
  rest: ['POST /api/v1/workspaces/{workspace_id}/members'],
  errors: [404, 409],
  input: MembershipCreate,
  output: MembershipResponse,
  run: (ctx, { workspace_id, user_id, role }) =>
    addUser(ctx, { workspace_id, role }, (ctx) => requireUser(ctx, user_id)),
})

export const addMemberByEmail = capability({
  name: 'members.add_by_email',
  summary: 'Add somebody who has an account to a workspace by e-mail address; admins only',
  scopes: ['workspace:write'],
  rest: ['POST /api/v1/workspaces/{workspace_id}/members/by-email'],
  errors: [404, 409],
  tool: {
    name: 'add_workspace_member_by_email',
    description:
      'Add somebody who already has an account to a workspace, at once and without asking them. For anybody else use invite_workspace_member. Admins only; returns the membership.',
  },
  input: MembershipCreateByEmail,
  output: MembershipResponse,
  run: (ctx, { workspace_id, email, role }) =>
    addUser(ctx, { workspace_id, role }, async (ctx) => {
      const user = await userByEmail(ctx, email)
      if (!user)
        throw notFound('User', 'Nobody here has this e-mail address: send an invitation to it instead.')
      return user
    }),
})

export const listMembers = capability({
  name: 'members.list',
  summary: 'The members of a workspace in the order of their joining; members only',
  scopes: ['search'],
  rest: ['GET /api/v1/workspaces/{workspace_id}/members'],
  errors: [404],
  tool: {
    name: 'list_workspace_members',
    description:
      'List who is in a workspace, for example to find a user_id. Members only. Returns user_id, e-mail address, name and role of each.',
    readOnly: true,
  },
  input: z.object({ workspace_id: Id }),
  output: z.array(WorkspaceMemberResponse),
  run: async (ctx, { workspace_id }) => {
    await requireRole(ctx, workspace_id, 'viewer')
    const rows = await listMembersOf(ctx.db, workspace_id)
    return rows.map((row) => ({
      ...row,
      email: row.email ?? '',
      provenance: {
        owner: row.user_id === ctx.viewer.userId ? ('you' as const) : ('team' as const),
        workspace: workspace_id,
        reviewed: false,
      },
    }))
  },
})

async function requireMember(ctx: UserCtx, workspaceId: string, userId: string): Promise<MembershipsTable> {
  const member = await findMembership(ctx.db, workspaceId, userId)
  if (!member) throw notFound('Member')
  return member
}

/** A workspace without an admin could never be run again. The transaction is serialisable, so the count holds. */
async function refuseForLastAdmin(ctx: UserCtx, member: MembershipsTable): Promise<void> {
  if (member.role === 'admin' && (await countAdmins(ctx.db, member.workspace_id)) === 1)
    throw conflict('last_admin', 'This is the last admin of the workspace. Make somebody else admin first.')
}

export const changeMemberRole = capability({
  name: 'members.change_role',
  summary: 'Change the role of a member; admins only, and never of the last admin',
  scopes: ['workspace:write'],
  rest: ['PATCH /api/v1/workspaces/{workspace_id}/members/{user_id}'],
  errors: [404, 409],
  tool: {
    name: 'update_workspace_member_role',
    description:
      'Change the role of a member: viewer reads, editor also writes, admin also manages people. Admins only; the last admin cannot be changed. Returns the membership.',
  },
  input: MembershipUpdate,
  output: MembershipResponse,
  run: (ctx, { workspace_id, user_id, role }) =>
    inTx(ctx, async (ctx) => {
      await requireRole(ctx, workspace_id, 'admin')
      const member = await requireMember(ctx, workspace_id, user_id)
      if (member.role === role) return member
      await refuseForLastAdmin(ctx, member)
      await setRole(ctx.db, workspace_id, user_id, role)
      await audit(ctx, {
        action: 'member.role_changed',
        subject: { type: 'user', id: user_id },
        workspaceId: workspace_id,
        details: { from: member.role, to: role },
      })
      return { ...member, role }
    }),
})

export const removeMember = capability({
  name: 'members.remove',
  summary: 'Remove a member, or leave with your own user id; never the last admin',
  scopes: ['workspace:write'],
  rest: ['DELETE /api/v1/workspaces/{workspace_id}/members/{user_id}'],
  errors: [404, 409],
  tool: {
    name: 'remove_workspace_member',
    description:
      'Remove a member from a workspace (admins), or leave it with your own user_id. Ask the user first; cards stay, and the last admin cannot go. Returns removed: true.',
    destructive: true,
  },
  input: z.object({ workspace_id: Id, user_id: Id }),
  output: z
    .object({ workspace_id: AnswerId, user_id: AnswerId, removed: z.literal(true) })
    .meta({ id: 'MembershipRemoved' }),
  run: (ctx, { workspace_id, user_id }) =>
    inTx(ctx, async (ctx) => {
      const leaving = user_id === ctx.viewer.userId
      await requireRole(ctx, workspace_id, leaving ? 'viewer' : 'admin')
      const member = await requireMember(ctx, workspace_id, user_id)
      await refuseForLastAdmin(ctx, member)
      await deleteMembership(ctx.db, workspace_id, user_id)
      await audit(ctx, {
        action: leaving ? 'member.left' : 'member.removed',
        subject: { type: 'user', id: user_id },
        workspaceId: workspace_id,
        details: { role: member.role },
      })
      return { workspace_id, user_id, removed: true as const }
    }),
})
