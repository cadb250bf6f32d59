import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { expect, test } from 'vitest'
import { takesCredentials } from './credential-statements.ts'
import type { Schema } from './schema.ts'

const db = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

test('a statement that ends a credential, or changes what one may do, is seen', () => {
  const taking = [
    db.deleteFrom('api_keys').where('key_id', '=', 'x'),
    db.deleteFrom('sessions').where('user_id', '=', 'x').returning('session_id'),
    db.deleteFrom('oauth_grants').where('grant_id', '=', 'x'),
    db.deleteFrom('oauth_tokens'),
    db.updateTable('users').set({ email_verified: 0, updated_at: '' }).where('user_id', '=', 'x'),
    db.updateTable('users').set((eb) => ({ deleted_at: eb.val('now') })),
    db.updateTable('api_keys').set({ scopes: '[]' }),
  ]
  for (const query of taking)
    expect(takesCredentials(query.toOperationNode()), query.compile().sql).toBe(true)
})

test('everything else is not', () => {
  const harmless = [
    db.updateTable('api_keys').set({ last_used_at: '' }).where('key_id', '=', 'x'),
    db.updateTable('sessions').set({ last_seen_at: '', expires_at: '' }),
    db.updateTable('users').set({ plan: 'pro' }),
    db.deleteFrom('cards').where('card_id', '=', 'x'),
    db.selectFrom('api_keys').selectAll(),
  ]
  for (const query of harmless)
    expect(takesCredentials(query.toOperationNode()), query.compile().sql).toBe(false)
})
