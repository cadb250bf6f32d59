import type { Db } from '../../db/db.ts'
import type { WorkspaceInvitesTable } from '../../db/tables/workspaces.ts'

/** A second one made at the same time becomes a serialisation failure, which is run again and then finds the first. */
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

/** One that this account may accept without its link. */
export function findOwnInvite(
  db: Db,
  userId: string,
  inviteId: string,
): Promise<WorkspaceInvitesTable | undefined> {
  return db
    .selectFrom('workspace_invites')
    .selectAll()
    .where('invite_id', '=', inviteId)
    .where('for_user_id', '=', userId)
    .executeTakeFirst()
}

export function findInviteByToken(db: Db, tokenHash: string): Promise<WorkspaceInvitesTable | undefined> {
  return db.selectFrom('workspace_invites').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst()
}

/** Newest first. */
export function listInvitesOf(
  db: Db,
  workspaceId: string,
  { history }: { history: boolean },
): Promise<WorkspaceInvitesTable[]> {
  return db
    .selectFrom('workspace_invites')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .$if(!history, (query) => query.where('status', '=', 'pending'))
    .orderBy('created_at', 'desc')
    .orderBy('invite_id', 'desc')
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
