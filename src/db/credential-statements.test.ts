import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { expect, test } from 'vitest'
import { CREDENTIAL_TABLES, takesCredentials } from './credential-statements.ts'
import { prepared } from './prepared.ts'
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

test('a prepared query, which no plugin sees, is refused when it would do that', async () => {
  const endAll = prepared((db) => db.deleteFrom('sessions'))
  await expect(endAll(db, {})).rejects.toThrow('must not end a credential')
})

test('no raw SQL, which no plugin sees, deletes or updates credentials', () => {
  const taking = new RegExp(`\\b(delete\\s+from|update)\\s+"?(${[...CREDENTIAL_TABLES].join('|')})\\b`, 'i')
  expect('DELETE FROM sessions').toMatch(taking)
  const sources = join(import.meta.dirname, '..')
  const files = globSync('**/*.ts', { cwd: sources }).filter(
    (file) => !/\.test\.ts$|^db.migrations/.test(file),
  )
  expect(files.length).toBeGreaterThan(100)
  expect(files.filter((file) => taking.test(readFileSync(join(sources, file), 'utf8')))).toEqual([])
})
