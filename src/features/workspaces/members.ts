import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, type UserCtx } from '../../core/context.ts'
import { conflict, notFound } from '../../core/errors.ts'
import { AnswerId, Email, Id, Time } from '../../core/schemas.ts'
import { MARK, Provenance } from '../../core/untrusted-text.ts'
import { flag } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import type { MembershipsTable, Role, WorkspacesTable } from '../../db/schema.ts'
import { containsInstructions } from '../../review/find-danger.ts'
import { audit } from '../audit/index.ts'
import { endSharingWith } from '../identity/index.ts'
import { cancelMails } from '../mail/index.ts'
import { tell } from '../notices/index.ts'
import { RoleName, requireRole } from '../permissions/index.ts'
import { insertMembership, workspaceName } from './workspaces.ts'

type MemberRow = MembershipsTable & { email: string | null; display_name: string }

/** Lists members in order of joining. */
function listMembersOf(db: Db, workspaceId: string): Promise<MemberRow[]> {
  return db
    .selectFrom('memberships')
    .innerJoin('users', 'users.user_id', 'memberships.user_id')
    .selectAll('memberships')
    .select(['users.email', 'users.display_name'])
    .where('memberships.workspace_id', '=', workspaceId)
    .orderBy('memberships.created_at')
    .orderBy('memberships.user_id')
    .execute()
}

export function findMembership(
  db: Db,
  workspaceId: string,
  userId: string,
): Promise<MembershipsTable | undefined> {
  return db
    .selectFrom('memberships')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

/** Returns whether the reader sees the person's address in the member list of any workspace. */
async function readsAddress(db: Db, readerId: string, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('memberships as theirs')
    .innerJoin('memberships as mine', 'mine.workspace_id', 'theirs.workspace_id')
    .select('theirs.workspace_id')
    .where('mine.user_id', '=', readerId)
    .where('theirs.user_id', '=', userId)
    .where('theirs.address_known', '=', 1)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

async function countAdmins(db: Db, workspaceId: string): Promise<number> {
  const { admins } = await db
    .selectFrom('memberships')
    .select(({ fn }) => fn.countAll<number>().as('admins'))
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'admin')
    .executeTakeFirstOrThrow()
  return admins
}

/** Viewers cannot succeed because they may not read drafts. */
async function successorInOffice(db: Db, workspaceId: string, giver: string): Promise<string | undefined> {
  const rows = await db
    .selectFrom('memberships')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where((eb) => eb.or([eb('user_id', '=', giver), eb('role', '=', 'editor')]))
    .orderBy('created_at')
    .orderBy('user_id')
    .execute()
  return (rows.find((row) => row.user_id === giver) ?? rows[0])?.user_id
}

export async function setRole(
  db: Db,
  workspaceId: string,
  userId: string,
  role: Role,
  givenBy: string | null,
): Promise<void> {
  await db
    .updateTable('memberships')
    .set({ role, role_given_by: givenBy })
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .execute()
}

async function deleteMembership(db: Db, workspaceId: string, userId: string): Promise<void> {
  await db
    .deleteFrom('memberships')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .execute()
}

const revokeOpenInvites = (db: Db, workspaceId: string) =>
  db
    .updateTable('workspace_invites')
    .set({ status: 'revoked' })
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'pending')
    .returning(['invite_id', 'email', 'address_known'])

const revokeInvitesBy = (db: Db, workspaceId: string, userId: string) =>
  revokeOpenInvites(db, workspaceId).where('invited_by', '=', userId).execute()

/** Revokes open invitations, in every workspace, that name an account whose address the team does not see. */
const revokeInvitesNaming = (db: Db, userId: string) =>
  db
    .updateTable('workspace_invites')
    .set({ status: 'revoked' })
    .where('for_user_id', '=', userId)
    .where('address_known', '=', 0)
    .where('status', '=', 'pending')
    .returning(['workspace_id', 'invite_id', 'email', 'address_known'])
    .execute()

/** Clears the address from invitations by account id: no admin entered it. */
async function forgetAddressInInvites(db: Db, userId: string): Promise<void> {
  await db
    .updateTable('workspace_invites')
    .set({ email: '', email_normal: '' })
    .where('for_user_id', '=', userId)
    .where('address_known', '=', 0)
    .execute()
}

/** Revokes open invitations to a person, by account or by address. */
const revokeInvitesTo = (db: Db, workspaceId: string, userId: string) =>
  revokeOpenInvites(db, workspaceId)
    .where((eb) => {
      const address = eb.selectFrom('users').select('email_normal').where('user_id', '=', userId)
      return eb.or([eb('for_user_id', '=', userId), eb('email_normal', '=', address)])
    })
    .execute()

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

/** Call it in the transaction that removes the role: the sender could use a token to regain it. */
export async function withdrawInvitesOf(ctx: UserCtx, former: MembershipsTable): Promise<void> {
  if (former.role !== 'admin') return
  const { workspace_id, user_id } = former
  const revoked = await revokeInvitesBy(ctx.db, workspace_id, user_id)
  await noteRevoked(ctx, workspace_id, revoked, 'its sender is no longer an admin')
}

/** Withdraws open invitations to a removed member, who could use the link to come back. */
async function withdrawInvitesTo(ctx: UserCtx, removed: MembershipsTable): Promise<void> {
  const { workspace_id, user_id } = removed
  const revoked = await revokeInvitesTo(ctx.db, workspace_id, user_id)
  await noteRevoked(ctx, workspace_id, revoked, 'the invited person was removed')
}

/** The admin never had the deleted account's address and must not be able to send it mail. */
export async function withdrawInvitesNaming(ctx: UserCtx, userId: string): Promise<void> {
  for (const revoked of await revokeInvitesNaming(ctx.db, userId))
    await noteRevoked(ctx, revoked.workspace_id, [revoked], 'the invited account was deleted')
  await forgetAddressInInvites(ctx.db, userId)
}

/** If left out, the role is the default of the workspace's policy, or else viewer. */
export const OptionalRole = RoleName.optional().meta({
  default: 'viewer',
  description: 'Or by policy; its default_role counts where no role is named',
})

export const MembershipCreate = z
  .object({ workspace_id: Id, user_id: Id, role: OptionalRole })
  .meta({ id: 'MembershipCreate' })

export const MembershipCreateByEmail = z
  .object({ workspace_id: Id, email: Email, role: OptionalRole })
  .meta({ id: 'MembershipCreateByEmail' })

const MembershipUpdate = z
  .object({ workspace_id: Id, user_id: Id, role: RoleName })
  .meta({ id: 'MembershipUpdate' })

const MEMBERSHIP_FIELDS = {
  workspace_id: AnswerId,
  user_id: AnswerId,
  role: RoleName,
  created_at: Time,
}

export const MembershipResponse = z
  .object({
    ...MEMBERSHIP_FIELDS,
    status: z
      .literal('invited')
      .optional()
      .describe('Only where this person wants to be asked first: not a member yet, but invited.'),
    invite_id: AnswerId.optional().describe('That invitation.'),
  })
  .meta({ id: 'MembershipResponse' })

const WorkspaceMemberResponse = z
  .object({
    ...MEMBERSHIP_FIELDS,
    email: z.string().describe('Empty for others where an admin added the account by its id'),
    display_name: z.string(),
    provenance: Provenance.describe('Who chose the name'),
  })
  .meta({ id: 'WorkspaceMemberResponse' })

export const alreadyMember = () =>
  conflict('already_member', 'This person is already a member of the workspace.')

export function requireShared(workspace: WorkspacesTable): void {
  if (workspace.type === 'personal')
    throw conflict(
      'personal_workspace',
      'A personal workspace has one member. Create a workspace of type org to work with others.',
    )
}

export const isMember = async (ctx: Ctx, workspaceId: string, userId: string): Promise<boolean> =>
  (await findMembership(ctx.db, workspaceId, userId)) !== undefined

export const knowsAddress = (ctx: UserCtx, userId: string): Promise<boolean> =>
  readsAddress(ctx.db, ctx.viewer.userId, userId)

/** Makes a person a member, in the caller's transaction. The caller must have checked the permission. */
export async function join(
  ctx: UserCtx,
  workspaceId: string,
  userId: string,
  role: Role,
  { isAddressKnown = true } = {},
): Promise<MembershipsTable> {
  if (await isMember(ctx, workspaceId, userId)) throw alreadyMember()
  const row = {
    workspace_id: workspaceId,
    user_id: userId,
    role,
    created_at: ctx.now().toISOString(),
    role_given_by: userId === ctx.viewer.userId ? null : ctx.viewer.userId,
    address_known: flag(isAddressKnown),
  }
  await insertMembership(ctx.db, row)
  await audit(ctx, {
    action: 'member.added',
    subject: { type: 'user', id: userId },
    workspaceId,
    details: { role },
  })
  return row
}

export const listMembers = capability({
  name: 'members.list',
  summary: 'The members of a workspace in the order of joining; members only',
  scopes: ['search'],
  rest: ['GET /api/v1/workspaces/{workspace_id}/members'],
  errors: [404],
  tool: {
    name: 'list_workspace_members',
    title: 'List members',
    description: 'List who is in a workspace, with user_ids.',
    readOnly: true,
  },
  input: z.object({ workspace_id: Id }),
  output: z.array(WorkspaceMemberResponse),
  run: async (ctx, { workspace_id }) => {
    await requireRole(ctx, workspace_id, 'viewer')
    const rows = await listMembersOf(ctx.db, workspace_id)
    return rows.map((row) => ({
      ...row,
      // Adding an author of public cards as a member must not reveal the author's address.
      email: (row.address_known === 1 || row.user_id === ctx.viewer.userId ? row.email : null) ?? '',
      provenance: {
        owner: row.user_id === ctx.viewer.userId ? ('you' as const) : ('team' as const),
        workspace: workspace_id,
        reviewed: false,
        ...(row.user_id !== ctx.viewer.userId && containsInstructions(row.display_name) ? MARK : {}),
      },
    }))
  },
})

async function requireMember(ctx: UserCtx, workspaceId: string, userId: string): Promise<MembershipsTable> {
  const member = await findMembership(ctx.db, workspaceId, userId)
  if (!member) throw notFound('Member')
  return member
}

/** A workspace needs an admin. The transaction is serialisable, so the count is right. */
async function refuseForLastAdmin(ctx: UserCtx, member: MembershipsTable): Promise<void> {
  if (member.role === 'admin' && (await countAdmins(ctx.db, member.workspace_id)) === 1)
    throw conflict('last_admin', 'This is the last admin of the workspace. Make somebody else admin first.')
}

/** Returns the role to its giver, else to an editor; for viewers the operator appoints an admin. */
export async function handBackOffice(ctx: UserCtx, member: MembershipsTable): Promise<void> {
  const { workspace_id, role_given_by: giver } = member
  if (giver === null || member.role !== 'admin' || (await countAdmins(ctx.db, workspace_id)) > 0) return
  const userId = await successorInOffice(ctx.db, workspace_id, giver)
  if (userId === undefined) return
  await setRole(ctx.db, workspace_id, userId, 'admin', ctx.viewer.userId)
  await tellMember(ctx, 'workspace.role_changed', { workspaceId: workspace_id, userId, role: 'admin' })
  await audit(ctx, {
    action: 'member.role_changed',
    subject: { type: 'user', id: userId },
    workspaceId: workspace_id,
    details: { to: 'admin', why: 'the last admin left' },
  })
}

type Told = { workspaceId: string; userId: string; role?: Role }

async function tellMember(
  ctx: UserCtx,
  kind: 'workspace.role_changed' | 'workspace.removed',
  { workspaceId, userId, role }: Told,
): Promise<void> {
  if (userId === ctx.viewer.userId) return
  const workspace_name = await workspaceName(ctx.db, workspaceId)
  await tell(ctx, { userId, kind, workspaceId, details: { workspace_name, ...(role ? { role } : {}) } })
}

export const changeMemberRole = capability({
  name: 'members.change_role',
  summary: 'Change the role of a member; admins only, and never of the last admin',
  description: 'Open invitations that a former admin has sent are withdrawn.',
  scopes: ['workspace:write'],
  rest: ['PATCH /api/v1/workspaces/{workspace_id}/members/{user_id}'],
  errors: [404, 409],
  tool: {
    name: 'update_workspace_member_role',
    title: 'Change role',
    description: 'Change the role of a member. Admins only.',
  },
  input: MembershipUpdate,
  output: MembershipResponse,
  run: (ctx, { workspace_id, user_id, role }) =>
    inTx(ctx, async (ctx) => {
      await requireRole(ctx, workspace_id, 'admin')
      const member = await requireMember(ctx, workspace_id, user_id)
      if (member.role === role) return member
      await refuseForLastAdmin(ctx, member)
      const giver = user_id === ctx.viewer.userId ? null : ctx.viewer.userId
      await setRole(ctx.db, workspace_id, user_id, role, giver)
      await withdrawInvitesOf(ctx, member)
      await tellMember(ctx, 'workspace.role_changed', { workspaceId: workspace_id, userId: user_id, role })
      await audit(ctx, {
        action: 'member.role_changed',
        subject: { type: 'user', id: user_id },
        workspaceId: workspace_id,
        details: { from: member.role, to: role },
      })
      return { ...member, role, role_given_by: giver }
    }),
})

export const removeMember = capability({
  name: 'members.remove',
  summary: 'Remove a member, or leave with your own user id; never the last admin',
  description:
    'A last admin may leave if somebody else made them admin: nobody is kept in a workspace they did not choose. Open invitations that a former admin has sent are withdrawn, and those to a person who is removed.',
  scopes: ['workspace:write'],
  rest: ['DELETE /api/v1/workspaces/{workspace_id}/members/{user_id}'],
  errors: [404, 409],
  tool: {
    name: 'remove_workspace_member',
    title: 'Remove member',
    description: 'Remove a member, or leave with your own user_id; ask the user first.',
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
      if (!leaving || member.role_given_by === null) await refuseForLastAdmin(ctx, member)
      await deleteMembership(ctx.db, workspace_id, user_id)
      await endSharingWith(ctx, user_id, workspace_id)
      await withdrawInvitesOf(ctx, member)
      await (leaving ? handBackOffice(ctx, member) : withdrawInvitesTo(ctx, member))
      await tellMember(ctx, 'workspace.removed', { workspaceId: workspace_id, userId: user_id })
      await audit(ctx, {
        action: leaving ? 'member.left' : 'member.removed',
        subject: { type: 'user', id: user_id },
        workspaceId: workspace_id,
        details: { role: member.role },
      })
      return { workspace_id, user_id, removed: true as const }
    }),
})
