import type { Selectable } from 'kysely'
import type { Db } from '../../db/db.ts'
import type { BillingInvitesTable } from '../../db/tables/billing.ts'

export type InviteRow = Selectable<BillingInvitesTable>

export async function insertInvite(db: Db, row: InviteRow): Promise<void> {
  await db.insertInto('billing_invites').values(row).execute()
}

export function findInvite(db: Db, code: string): Promise<InviteRow | undefined> {
  return db.selectFrom('billing_invites').selectAll().where('code', '=', code).executeTakeFirst()
}

export function findInviteOf(db: Db, userId: string, inviteId: string): Promise<InviteRow | undefined> {
  return db
    .selectFrom('billing_invites')
    .selectAll()
    .where('invite_id', '=', inviteId)
    .where('created_by', '=', userId)
    .executeTakeFirst()
}

export async function setWithdrawn(db: Db, inviteId: string, now: string): Promise<void> {
  await db
    .updateTable('billing_invites')
    .set({ withdrawn_at: now })
    .where('invite_id', '=', inviteId)
    .execute()
}

/** How many codes of a person can still be redeemed. */
export async function countOpen(db: Db, userId: string, now: string): Promise<number> {
  const { open } = await db
    .selectFrom('billing_invites')
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .where('created_by', '=', userId)
    .where('withdrawn_at', 'is', null)
    .where('expires_at', '>', now)
    .whereRef('uses', '<', 'max_uses')
    .executeTakeFirstOrThrow()
  return open
}

/** Newest first. Codes can be made and withdrawn without end, so a list has a limit. */
export function listInvites(db: Db, userId: string, limit: number): Promise<InviteRow[]> {
  return db
    .selectFrom('billing_invites')
    .selectAll()
    .where('created_by', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('invite_id', 'desc')
    .limit(limit)
    .execute()
}

export async function hasRedeemed(db: Db, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('billing_redemptions')
    .select('user_id')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row !== undefined
}

export async function recordRedemption(
  db: Db,
  use: { inviteId: string; userId: string; now: string },
): Promise<void> {
  await db
    .updateTable('billing_invites')
    .set((eb) => ({ uses: eb('uses', '+', 1) }))
    .where('invite_id', '=', use.inviteId)
    .execute()
  await db
    .insertInto('billing_redemptions')
    .values({ user_id: use.userId, invite_id: use.inviteId, created_at: use.now })
    .execute()
}

export type Redeemed = Pick<InviteRow, 'invite_id' | 'created_by' | 'credits'>

/** Redemptions by this person, and of this person's codes. */
export function redemptionsWith(db: Db, userId: string): Promise<(Redeemed & { user_id: string })[]> {
  return db
    .selectFrom('billing_redemptions')
    .innerJoin('billing_invites', 'billing_invites.invite_id', 'billing_redemptions.invite_id')
    .select([
      'billing_redemptions.user_id',
      'billing_invites.invite_id',
      'billing_invites.created_by',
      'billing_invites.credits',
    ])
    .where((eb) =>
      eb.or([eb('billing_redemptions.user_id', '=', userId), eb('billing_invites.created_by', '=', userId)]),
    )
    .execute()
}
