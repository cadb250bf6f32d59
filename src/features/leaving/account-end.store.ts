import { toJson } from '../../db/columns.ts'
import type { Db, EngineName } from '../../db/db.ts'
import { DEFAULT_SETTINGS } from '../identity/users/user-settings.ts'
import { freeText, storedTextBytes } from '../storage/text-usage.ts'

const DELETED_NAME = 'deleted user'

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

export async function deleteMaterials(db: Db, userId: string): Promise<number> {
  const gone = await db
    .deleteFrom('raw_materials')
    .where('owner_id', '=', userId)
    .returning(['owner_id as user_id', storedTextBytes('raw_materials').as('bytes')])
    .execute()
  await freeText(db, gone)
  return gone.length
}

/** Rows of one person that are deleted with the account. */
const OWN_TABLES = [
  'sessions',
  'api_keys',
  'email_tokens',
  'email_changes',
  'notices',
  'first_steps',
  'kept_searches',
  'card_reads',
  'withdrawals_told',
  'recall_items',
  'recall_calls',
  'mining_due',
  'recoveries',
  'rewarded_texts',
  'support_conversations',
] as const

export async function deleteOwnRows(db: Db, userId: string): Promise<void> {
  const drafts = await db
    .deleteFrom('card_drafts')
    .where('user_id', '=', userId)
    .returning(['user_id', storedTextBytes('card_drafts').as('bytes')])
    .execute()
  await freeText(db, drafts)
  for (const table of OWN_TABLES) await db.deleteFrom(table).where('user_id', '=', userId).execute()
}

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

/**
 * The row stays, so that published cards and the ledger keep an author. Nothing in it says who that was. Whether an address
 * was proven stays too: verdicts and reports keep the weight with which they were given.
 */
export async function anonymiseUser(db: Db, userId: string, now: string): Promise<void> {
  await db
    .updateTable('users')
    .set({
      email: null,
      email_normal: null,
      password_hash: null,
      google_subject: null,
      display_name: DELETED_NAME,
      onboarding: null,
      plan: 'free',
      settings: toJson(DEFAULT_SETTINGS),
      updated_at: now,
      deleted_at: now,
      service_admin: 0,
    })
    .where('user_id', '=', userId)
    .execute()
}
