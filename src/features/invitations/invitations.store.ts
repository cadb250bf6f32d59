import type { Db } from '../../db/db.ts'
import type { WorkspaceInvitesTable } from '../../db/tables/workspaces.ts'

/** A second invitation at the same time causes a serialisation failure; the retry then finds the first. */
export async function insertInvite(db: Db, row: WorkspaceInvitesTable): Promise<void> {
  await db
    .insertInto('workspace_invites')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function updateInvite(
  db: Db,
  inviteId: string,
  change: Partial<WorkspaceInvitesTable>,
): Promise<void> {
  await db.updateTable('workspace_invites').set(change).where('invite_id', '=', inviteId).execute()
}

export function findInvite(
  db: Db,
  workspaceId: string,
  inviteId: string,
): Promise<WorkspaceInvitesTable | undefined> {
  return db
    .selectFrom('workspace_invites')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('invite_id', '=', inviteId)
    .executeTakeFirst()
}

export function findOpenInvite(
  db: Db,
  workspaceId: string,
  emailNormal: string,
): Promise<WorkspaceInvitesTable | undefined> {
  return db
    .selectFrom('workspace_invites')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('email_normal', '=', emailNormal)
    .where('status', '=', 'pending')
    .executeTakeFirst()
}

export function findInviteByToken(db: Db, tokenHash: string): Promise<WorkspaceInvitesTable | undefined> {
  return db.selectFrom('workspace_invites').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst()
}

/** Answers false if somebody has registered with this token before; of several at the same moment, one gets true. */
export async function markRegistered(db: Db, tokenHash: string, now: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('workspace_invites')
    .set({ registered_at: now })
    .where('token_hash', '=', tokenHash)
    .where('registered_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Newest first. */
export function listInvitesOf(
  db: Db,
  workspaceId: string,
  { history, limit }: { history: boolean; limit?: number },
): Promise<WorkspaceInvitesTable[]> {
  return db
    .selectFrom('workspace_invites')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .$if(!history, (query) => query.where('status', '=', 'pending'))
    .orderBy('created_at', 'desc')
    .orderBy('invite_id', 'desc')
    .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
    .execute()
}

/** What the page behind an invitation link shows. */
export function namesFor(
  db: Db,
  invite: Pick<WorkspaceInvitesTable, 'workspace_id' | 'invited_by'>,
): Promise<{ workspace_name: string; inviter_name: string }> {
  return db
    .selectFrom('workspaces')
    .innerJoin('users', (join) => join.on('users.user_id', '=', invite.invited_by))
    .select(['workspaces.name as workspace_name', 'users.display_name as inviter_name'])
    .where('workspaces.workspace_id', '=', invite.workspace_id)
    .executeTakeFirstOrThrow()
}

export async function countOpenInvitesOf(db: Db, workspaceId: string): Promise<number> {
  const { open } = await db
    .selectFrom('workspace_invites')
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow()
  return open
}

export async function deleteInvitesOf(db: Db, workspaceId: string): Promise<void> {
  await db.deleteFrom('workspace_invites').where('workspace_id', '=', workspaceId).execute()
}

export type AddressedInvite = WorkspaceInvitesTable & { workspace_name: string; inviter_name: string }

/** The reader of invitations: the account, and its normalised address if invitations to it may be shown. */
export type Addressee = { userId: string; address: string | null }

/** The open invitations for somebody that have not expired, newest first. */
export function listInvitesFor(db: Db, to: Addressee, now: string): Promise<AddressedInvite[]> {
  return invitesFor(db, to, now)
    .orderBy('workspace_invites.created_at', 'desc')
    .orderBy('workspace_invites.invite_id', 'desc')
    .execute()
}

export function findInviteFor(
  db: Db,
  to: Addressee,
  inviteId: string,
  now: string,
): Promise<AddressedInvite | undefined> {
  return invitesFor(db, to, now).where('workspace_invites.invite_id', '=', inviteId).executeTakeFirst()
}

const invitesFor = (db: Db, { userId, address }: Addressee, now: string) =>
  db
    .selectFrom('workspace_invites')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'workspace_invites.workspace_id')
    .innerJoin('users', 'users.user_id', 'workspace_invites.invited_by')
    .selectAll('workspace_invites')
    .select(['workspaces.name as workspace_name', 'users.display_name as inviter_name'])
    .where((eb) =>
      eb.or([
        eb('workspace_invites.for_user_id', '=', userId),
        // An invitation that names an account is for no other, also after that one has left its address.
        ...(address === null
          ? []
          : [
              eb.and([
                eb('workspace_invites.email_normal', '=', address),
                eb('workspace_invites.address_known', '=', 1),
              ]),
            ]),
      ]),
    )
    .where('workspace_invites.status', '=', 'pending')
    .where('workspace_invites.expires_at', '>', now)
