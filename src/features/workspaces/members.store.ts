import type { Db } from '../../db/db.ts'
import type { MembershipsTable, Role } from '../../db/tables/workspaces.ts'

export type MemberRow = MembershipsTable & { email: string | null; display_name: string }

/** In the order of joining. */
export function listMembersOf(db: Db, workspaceId: string): Promise<MemberRow[]> {
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

/** Whether somebody reads the address of another person in the list of members of some workspace. */
export async function readsAddress(db: Db, readerId: string, userId: string): Promise<boolean> {
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

export async function countAdmins(db: Db, workspaceId: string): Promise<number> {
  const { admins } = await db
    .selectFrom('memberships')
    .select(({ fn }) => fn.countAll<number>().as('admins'))
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'admin')
    .executeTakeFirstOrThrow()
  return admins
}

/** Who follows the last admin: who gave the role, otherwise the editor who joined first. Viewers do not, as nobody lets them read drafts. */
export async function successorInOffice(
  db: Db,
  workspaceId: string,
  giver: string,
): Promise<string | undefined> {
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

export async function deleteMembership(db: Db, workspaceId: string, userId: string): Promise<void> {
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

/** The open invitations that one person has sent. */
export const revokeInvitesBy = (db: Db, workspaceId: string, userId: string) =>
  revokeOpenInvites(db, workspaceId).where('invited_by', '=', userId).execute()

/** The open invitations, in every workspace, that name an account whose address the team does not read. */
export const revokeInvitesNaming = (db: Db, userId: string) =>
  db
    .updateTable('workspace_invites')
    .set({ status: 'revoked' })
    .where('for_user_id', '=', userId)
    .where('address_known', '=', 0)
    .where('status', '=', 'pending')
    .returning(['workspace_id', 'invite_id', 'email', 'address_known'])
    .execute()

/** No admin wrote this address: it came from the account. */
export async function forgetAddressInInvites(db: Db, userId: string): Promise<void> {
  await db
    .updateTable('workspace_invites')
    .set({ email: '', email_normal: '' })
    .where('for_user_id', '=', userId)
    .where('address_known', '=', 0)
    .execute()
}

/** The open invitations to one person: to the account, or to its address. */
export const revokeInvitesTo = (db: Db, workspaceId: string, userId: string) =>
  revokeOpenInvites(db, workspaceId)
    .where((eb) => {
      const address = eb.selectFrom('users').select('email_normal').where('user_id', '=', userId)
      return eb.or([eb('for_user_id', '=', userId), eb('email_normal', '=', address)])
    })
    .execute()
