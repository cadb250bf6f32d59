import type { Db, EngineName } from '../../db/db.ts'

/** The workspaces with other members that would have no admin without this person. */
export const workspacesWithoutOtherAdmin = (db: Db, userId: string) =>
  db
    .selectFrom('memberships as mine')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'mine.workspace_id')
    .select(['workspaces.workspace_id', 'workspaces.name'])
    .where('mine.user_id', '=', userId)
    .where('mine.role', '=', 'admin')
    // A role that another person gave returns to them, so it does not keep anybody from leaving.
    .where('mine.role_given_by', 'is', null)
    .where((eb) => {
      const others = eb
        .selectFrom('memberships as other')
        .select('other.user_id')
        .whereRef('other.workspace_id', '=', 'mine.workspace_id')
        .where('other.user_id', '!=', userId)
      return eb.and([eb.exists(others), eb.not(eb.exists(others.where('other.role', '=', 'admin')))])
    })
    .execute()

/** Of two that end the access of one account, the second waits. SQLite has one writer at a time. */
export async function holdUser(db: Db, engine: EngineName, userId: string): Promise<void> {
  if (engine === 'postgres')
    await db.selectFrom('users').select('user_id').where('user_id', '=', userId).forUpdate().execute()
}

export const deleteMemberships = (db: Db, userId: string) =>
  db.deleteFrom('memberships').where('user_id', '=', userId).returningAll().execute()

/** Accounts that were deleted since a moment, and when. */
export const deletedSince = (db: Db, since: string) =>
  db
    .selectFrom('users')
    .select(['user_id', 'deleted_at'])
    .where('deleted_at', '>=', since)
    .$narrowType<{ deleted_at: string }>()
    .execute()

/** Nobody can redeem them any more. */
export async function withdrawCodes(db: Db, userId: string, now: string): Promise<void> {
  await db
    .updateTable('billing_invites')
    .set({ withdrawn_at: now })
    .where('created_by', '=', userId)
    .where('withdrawn_at', 'is', null)
    .execute()
}
