import { normalEmail } from '../../../core/schemas.ts'
import type { Db } from '../../../db/db.ts'
import { type Named, prepared } from '../../../db/prepared.ts'
import type { EmailTokensTable, SessionsTable, UsersTable } from '../../../db/tables/accounts.ts'

export async function insertUser(db: Db, row: UsersTable): Promise<void> {
  await db.insertInto('users').values(row).execute()
}

const presentUser = prepared((db, parameter: Named<{ user: string }>) =>
  db.selectFrom('users').selectAll().where('user_id', '=', parameter('user')).where('deleted_at', 'is', null),
)

export async function findUser(db: Db, userId: string): Promise<UsersTable | undefined> {
  const [row] = await presentUser(db, { user: userId })
  return row
}

export function findUserByEmail(db: Db, email: string): Promise<UsersTable | undefined> {
  return db.selectFrom('users').selectAll().where('email_normal', '=', normalEmail(email)).executeTakeFirst()
}

export function findUserByGoogle(db: Db, subject: string): Promise<UsersTable | undefined> {
  return db.selectFrom('users').selectAll().where('google_subject', '=', subject).executeTakeFirst()
}

export async function updateUser(db: Db, userId: string, change: Partial<UsersTable>): Promise<void> {
  await db.updateTable('users').set(change).where('user_id', '=', userId).execute()
}

export async function insertSession(db: Db, row: SessionsTable): Promise<void> {
  await db.insertInto('sessions').values(row).execute()
}

export async function deleteSession(db: Db, sessionId: string): Promise<void> {
  await db.deleteFrom('sessions').where('session_id', '=', sessionId).execute()
}

export async function deleteSessionsOf(db: Db, userId: string, exceptId = ''): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).where('session_id', '!=', exceptId).execute()
}

export async function insertEmailToken(db: Db, row: EmailTokensTable): Promise<void> {
  await db.insertInto('email_tokens').values(row).execute()
}

/** Uses the token up in the same statement that finds it, so that it works once. */
export function useEmailToken(
  db: Db,
  token: { hash: string; purpose: EmailTokensTable['purpose']; now: string },
): Promise<{ user_id: string } | undefined> {
  return db
    .updateTable('email_tokens')
    .set({ used_at: token.now })
    .where('token_hash', '=', token.hash)
    .where('purpose', '=', token.purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', token.now)
    .returning('user_id')
    .executeTakeFirst()
}

/** A newer mail makes the links of older ones dead. */
export async function dropEmailTokens(
  db: Db,
  userId: string,
  purpose: EmailTokensTable['purpose'],
): Promise<void> {
  await db.deleteFrom('email_tokens').where('user_id', '=', userId).where('purpose', '=', purpose).execute()
}
