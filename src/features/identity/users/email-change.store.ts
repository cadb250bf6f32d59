import type { Db } from '../../../db/db.ts'
import type { EmailChangesTable } from '../../../db/tables/accounts.ts'

/** A newer request replaces the older one, whose link then stops working. */
export async function putEmailChange(db: Db, row: EmailChangesTable): Promise<void> {
  const { user_id: _, ...newer } = row
  await db
    .insertInto('email_changes')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(newer))
    .execute()
}

/** Finds and deletes the change of a token, so that it works once. */
export function takeEmailChange(
  db: Db,
  tokenHash: string,
  now: string,
): Promise<EmailChangesTable | undefined> {
  return db
    .deleteFrom('email_changes')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
}

export async function dropEmailChange(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('email_changes').where('user_id', '=', userId).execute()
}

export async function pendingEmail(db: Db, userId: string, now: string): Promise<string | null> {
  const row = await db
    .selectFrom('email_changes')
    .select('email')
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row?.email ?? null
}

/** Whose change a link confirms. */
export async function emailChangeOwner(db: Db, tokenHash: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('email_changes')
    .select('user_id')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
  return row?.user_id
}
