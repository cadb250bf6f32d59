import type { Viewer } from '../../../core/context.ts'
import { normalEmail } from '../../../core/schemas.ts'
import { byBytes } from '../../../db/byte-order.ts'
import type { Db } from '../../../db/db.ts'
import { type Named, prepared } from '../../../db/prepared.ts'
import type {
  EmailTokensTable,
  ResetRequestsTable,
  SessionsTable,
  UsersTable,
} from '../../../db/tables/accounts.ts'

export async function insertUser(db: Db, row: UsersTable): Promise<void> {
  await db.insertInto('users').values(row).execute()
}

const presentUser = prepared((db, parameter: Named<{ user: string }>) =>
  db.selectFrom('users').selectAll().where('user_id', '=', parameter('user')).where('deleted_at', 'is', null),
)

/** Somebody who still has an account. */
export async function findUser(db: Db, userId: string): Promise<UsersTable | undefined> {
  const [row] = await presentUser(db, { user: userId })
  return row
}

export function findUserByEmail(db: Db, email: string): Promise<UsersTable | undefined> {
  return db.selectFrom('users').selectAll().where('email_normal', '=', normalEmail(email)).executeTakeFirst()
}

export async function hasAnyUser(db: Db): Promise<boolean> {
  return (await db.selectFrom('users').select('user_id').limit(1).executeTakeFirst()) !== undefined
}

export function findUserByGoogle(db: Db, subject: string): Promise<UsersTable | undefined> {
  return db.selectFrom('users').selectAll().where('google_subject', '=', subject).executeTakeFirst()
}

export async function updateUser(db: Db, userId: string, change: Partial<UsersTable>): Promise<void> {
  await db.updateTable('users').set(change).where('user_id', '=', userId).execute()
}

/** Service admins who were granted on the command line, in the order of their addresses. */
export async function listGrantedAdmins(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('users')
    .select('email')
    .where('service_admin', '=', 1)
    .where('deleted_at', 'is', null)
    .orderBy(byBytes(db, 'email_normal'))
    .execute()
  return rows.flatMap(({ email }) => email ?? [])
}

export async function insertSession(db: Db, row: SessionsTable): Promise<void> {
  await db.insertInto('sessions').values(row).execute()
}

export async function deleteSession(db: Db, sessionId: string): Promise<void> {
  await db.deleteFrom('sessions').where('session_id', '=', sessionId).execute()
}

export async function deleteSessionOfToken(db: Db, tokenHash: string): Promise<void> {
  await db.deleteFrom('sessions').where('token_hash', '=', tokenHash).execute()
}

export async function deleteOwnSession(db: Db, userId: string, sessionId: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom('sessions')
    .where('session_id', '=', sessionId)
    .where('user_id', '=', userId)
    .returning('session_id')
    .executeTakeFirst()
  return deleted !== undefined
}

export async function deleteSessionsOf(db: Db, userId: string, exceptId = ''): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).where('session_id', '!=', exceptId).execute()
}

export async function deleteKeysOf(db: Db, userId: string, exceptId = ''): Promise<void> {
  await db.deleteFrom('api_keys').where('user_id', '=', userId).where('key_id', '!=', exceptId).execute()
}

/** Whether a recognised credential still exists. */
export async function findCredential(db: Db, { kind, id }: Viewer['credential']): Promise<boolean> {
  const rows = {
    session: () => db.selectFrom('sessions').select('user_id').where('session_id', '=', id),
    api_key: () => db.selectFrom('api_keys').select('user_id').where('key_id', '=', id),
    oauth: () => db.selectFrom('oauth_grants').select('user_id').where('grant_id', '=', id),
  }
  return (await rows[kind]().executeTakeFirst()) !== undefined
}

export async function deleteEndedSessions(db: Db, now: string): Promise<void> {
  await db.deleteFrom('sessions').where('expires_at', '<=', now).execute()
}

const MAX_LISTED_SESSIONS = 500

/** Newest first. */
export function listSessionsOf(db: Db, userId: string, now: string): Promise<SessionsTable[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('session_id', 'desc')
    .limit(MAX_LISTED_SESSIONS)
    .execute()
}

export async function insertResetRequest(db: Db, row: ResetRequestsTable): Promise<void> {
  await db.insertInto('reset_requests').values(row).execute()
}

/** Returns the addresses of the oldest requests and removes the requests. */
export async function takeResetRequests(db: Db, most: number): Promise<string[]> {
  const rows = await db.selectFrom('reset_requests').selectAll().orderBy('request_id').limit(most).execute()
  if (rows.length > 0)
    await db
      .deleteFrom('reset_requests')
      .where(
        'request_id',
        'in',
        rows.map((row) => row.request_id),
      )
      .execute()
  return rows.map((row) => row.email_normal)
}

/** Links that still work, newest first. */
export function liveResetTokens(db: Db, userId: string, now: string): Promise<EmailTokensTable[]> {
  return db
    .selectFrom('email_tokens')
    .selectAll()
    .where('user_id', '=', userId)
    .where('purpose', '=', 'reset_password')
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('token_hash')
    .execute()
}

export async function deleteEmailToken(db: Db, hash: string): Promise<void> {
  await db.deleteFrom('email_tokens').where('token_hash', '=', hash).execute()
}

export async function emailTokenOwner(
  db: Db,
  hash: string,
  purpose: EmailTokensTable['purpose'],
): Promise<string | undefined> {
  const row = await db
    .selectFrom('email_tokens')
    .select('user_id')
    .where('token_hash', '=', hash)
    .where('purpose', '=', purpose)
    .executeTakeFirst()
  return row?.user_id
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

/** Ends all links of one kind. */
export async function dropEmailTokens(
  db: Db,
  userId: string,
  purpose: EmailTokensTable['purpose'],
): Promise<void> {
  await db.deleteFrom('email_tokens').where('user_id', '=', userId).where('purpose', '=', purpose).execute()
}

/** Links that work no more, and the new addresses that nobody has confirmed by them. */
export async function deleteEndedLinks(db: Db, now: string): Promise<void> {
  await db.deleteFrom('email_tokens').where('expires_at', '<=', now).execute()
  await db.deleteFrom('email_changes').where('expires_at', '<=', now).execute()
}
