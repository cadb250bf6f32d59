import type { Db } from '../../db/db.ts'
import type {
  OAuthClientsTable,
  OAuthCodesTable,
  OAuthGrantsTable,
  OAuthTokensTable,
} from '../../db/schema.ts'

export const findClientRow = (db: Db, clientId: string): Promise<OAuthClientsTable | undefined> =>
  db.selectFrom('oauth_clients').selectAll().where('client_id', '=', clientId).executeTakeFirst()

/** Stores a client. A client document may change later; a registration is written once. */
export async function upsertClient(db: Db, row: OAuthClientsTable): Promise<void> {
  const { client_id: _id, created_at: _created, consented_at: _consented, ...described } = row
  await db
    .insertInto('oauth_clients')
    .values(row)
    .onConflict((conflict) => conflict.column('client_id').doUpdateSet(described))
    .execute()
}

export async function insertGrant(db: Db, row: OAuthGrantsTable): Promise<void> {
  await db.insertInto('oauth_grants').values(row).execute()
  await db
    .updateTable('oauth_clients')
    .set({ consented_at: row.created_at })
    .where('client_id', '=', row.client_id)
    .where('consented_at', 'is', null)
    .execute()
}

export const insertCode = (db: Db, row: OAuthCodesTable) => db.insertInto('oauth_codes').values(row).execute()

export const insertTokens = (db: Db, rows: OAuthTokensTable[]) =>
  db.insertInto('oauth_tokens').values(rows).execute()

export const findCode = (db: Db, codeHash: string) =>
  db
    .selectFrom('oauth_codes')
    .innerJoin('oauth_grants', 'oauth_grants.grant_id', 'oauth_codes.grant_id')
    .selectAll('oauth_codes')
    .select([
      'oauth_grants.client_id',
      'oauth_grants.user_id',
      'oauth_grants.scopes',
      'oauth_grants.resource',
    ])
    .where('code_hash', '=', codeHash)
    .executeTakeFirst()

export const findToken = (db: Db, tokenHash: string) =>
  db
    .selectFrom('oauth_tokens')
    .innerJoin('oauth_grants', 'oauth_grants.grant_id', 'oauth_tokens.grant_id')
    .selectAll('oauth_tokens')
    .select([
      'oauth_grants.client_id',
      'oauth_grants.user_id',
      'oauth_grants.resource',
      'oauth_grants.scopes as granted_scopes',
    ])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()

export async function spendCode(db: Db, codeHash: string, grantId: string, now: string): Promise<void> {
  await db.updateTable('oauth_codes').set({ used_at: now }).where('code_hash', '=', codeHash).execute()
  await db.updateTable('oauth_grants').set({ activated_at: now }).where('grant_id', '=', grantId).execute()
}

export const spendRefreshToken = (db: Db, tokenHash: string, now: string) =>
  db.updateTable('oauth_tokens').set({ used_at: now }).where('token_hash', '=', tokenHash).execute()

export const deleteToken = (db: Db, tokenHash: string) =>
  db.deleteFrom('oauth_tokens').where('token_hash', '=', tokenHash).execute()

export const deleteGrant = (db: Db, grantId: string) =>
  db.deleteFrom('oauth_grants').where('grant_id', '=', grantId).execute()

export const deleteOwnGrant = (db: Db, userId: string, grantId: string) =>
  db
    .deleteFrom('oauth_grants')
    .where('grant_id', '=', grantId)
    .where('user_id', '=', userId)
    .where('activated_at', 'is not', null)
    .returning('grant_id')
    .executeTakeFirst()

export const listGrants = (db: Db, userId: string) =>
  db
    .selectFrom('oauth_grants')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'oauth_grants.client_id')
    .selectAll('oauth_grants')
    .select(['oauth_clients.name', 'oauth_clients.uri', 'oauth_clients.source'])
    .where('oauth_grants.user_id', '=', userId)
    .where('oauth_grants.activated_at', 'is not', null)
    .orderBy('oauth_grants.created_at', 'desc')
    .orderBy('oauth_grants.grant_id', 'desc')
    .execute()

/** The client of a disconnected app stays, so that it can be connected again. */
export async function deleteLeftovers(db: Db, now: string, staleBefore: string): Promise<void> {
  await db.deleteFrom('oauth_tokens').where('expires_at', '<', now).execute()
  await db.deleteFrom('oauth_codes').where('expires_at', '<', staleBefore).execute()
  await db.deleteFrom('oauth_device_codes').where('expires_at', '<', staleBefore).execute()
  await db
    .deleteFrom('oauth_grants')
    .where('created_at', '<', staleBefore)
    .where((eb) =>
      eb.or([
        eb('activated_at', 'is', null),
        eb.not(
          eb.exists(
            eb
              .selectFrom('oauth_tokens')
              .select('oauth_tokens.token_hash')
              .whereRef('oauth_tokens.grant_id', '=', 'oauth_grants.grant_id'),
          ),
        ),
      ]),
    )
    .execute()
  await db
    .deleteFrom('oauth_clients')
    .where('created_at', '<', staleBefore)
    .where('consented_at', 'is', null)
    .execute()
}
