import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { makeVault } from '../../test/support/engines.ts'
import { readConfig } from '../config.ts'
import { openDatabase } from './engines/open.ts'
import { consentsAndInvitations } from './migrations/0046-consents-and-invitations.ts'
import { applyMigrations, MIGRATIONS, migrate } from './migrations/migrate.ts'

const AT = '2026-01-01T00:00:00.000Z'

const user = (id: string) =>
  `insert into users (user_id, display_name, settings, personal_workspace_id, created_at, updated_at)
    values ('${id}', '${id}', '{}', '${id}-home', '${AT}', '${AT}')`

const member = (id: string, role: string) =>
  `insert into memberships (workspace_id, user_id, role, created_at) values ('team', '${id}', '${role}', '${AT}')`

const invite = (id: string, by: string) =>
  `insert into workspace_invites
      (invite_id, workspace_id, email, email_normal, role, status, token_hash, sendings, invited_by, created_at, expires_at)
    values ('${id}', 'team', '${id}', '${id}', 'admin', 'pending', '${id}', 1, '${by}', '${AT}', '${AT}')`

const client = (id: string) =>
  `insert into oauth_clients
      (client_id, source, name, redirect_uris, auth_method, may_refresh, created_at, described_at)
    values ('${id}', 'registered', '${id}', '[]', 'none', 1, '${AT}', '${AT}')`

const BEFORE = [
  ...['present', 'demoted', 'removed'].map(user),
  `insert into workspaces (workspace_id, name, type, visibility, created_at, updated_at)
    values ('team', 'team', 'org', 'private', '${AT}', '${AT}')`,
  member('present', 'admin'),
  member('demoted', 'editor'),
  ...['present', 'demoted', 'removed'].map((id) => invite(`by-${id}`, id)),
  ...['connected', 'unused'].map(client),
  `insert into oauth_grants (grant_id, user_id, client_id, scopes, resource, created_at)
    values ('grant', 'present', 'connected', '[]', 'x', '${AT}')`,
]

for (const engine of ['sqlite', 'postgres'] as const)
  test(`an upgrade keeps connected apps and ends invitations of former admins on ${engine}`, async () => {
    const vault = await makeVault(engine, {}, { isEmpty: true })
    const database = openDatabase(readConfig(vault.env))
    await applyMigrations(database, MIGRATIONS.slice(0, MIGRATIONS.indexOf(consentsAndInvitations)))
    await database.transaction(async (db) => {
      for (const statement of BEFORE) await sql.raw(statement).execute(db)
    })
    await migrate(database)
    const clients = await database.read
      .selectFrom('oauth_clients')
      .select(['client_id', 'consented_at'])
      .orderBy('client_id')
      .execute()
    expect(clients).toEqual([
      { client_id: 'connected', consented_at: AT },
      { client_id: 'unused', consented_at: null },
    ])
    const open = database.read
      .selectFrom('workspace_invites')
      .select('invite_id')
      .where('status', '=', 'pending')
    expect(await open.execute()).toEqual([{ invite_id: 'by-present' }])
    await database.close()
    await vault.remove()
  })
