import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely'
import { expect, test } from 'vitest'
import { takesCredentials } from './db.ts'
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
    db.deleteFrom('sessions as s').where('s.user_id', '=', 'x'),
    db.deleteFrom('oauth_grants').where('grant_id', '=', 'x'),
    db.deleteFrom('oauth_tokens'),
    db.updateTable('users').set({ email_verified: 0, updated_at: '' }).where('user_id', '=', 'x'),
    db.updateTable('users').set((eb) => ({ deleted_at: eb.val('now') })),
    db.updateTable('api_keys').set({ scopes: '[]' }),
    db
      .with('gone', (qb) => qb.deleteFrom('sessions').returning('user_id'))
      .selectFrom('gone')
      .selectAll(),
    db
      .insertInto('sessions')
      .values({} as never)
      .onConflict((oc) => oc.column('session_id').doUpdateSet({ user_id: 'x' })),
    db.replaceInto('sessions').values({} as never),
  ]
  for (const query of taking) expect(takesCredentials(query.compile().sql), query.compile().sql).toBe(true)
})

test('raw SQL is seen as well, in whatever case and on however many lines', () => {
  const taking = [
    sql`delete from sessions where user_id = ${'x'}`,
    sql`DELETE\n FROM "sessions"`,
    sql`update users set deleted_at = 'now'`,
    sql`update only api_keys as k set scopes = '[]'`,
    sql`truncate oauth_tokens`,
    sql`drop table if exists api_keys`,
    sql`insert or replace into sessions values (1)`,
    sql`update sessions set (user_id) = (select 'x')`,
  ]
  for (const raw of taking) expect(takesCredentials(raw.compile(db).sql), raw.compile(db).sql).toBe(true)
})

test('everything else is not', () => {
  const harmless = [
    db.updateTable('api_keys').set({ last_used_at: '' }).where('key_id', '=', 'x'),
    db.updateTable('sessions').set({ last_seen_at: '', expires_at: '' }),
    db.updateTable('users').set({ plan: 'pro' }).where('email_normal', '=', 'x'),
    db.insertInto('sessions').values({} as never),
    db.deleteFrom('cards').where('card_id', '=', 'x'),
    db.selectFrom('api_keys').selectAll(),
  ]
  for (const query of harmless) expect(takesCredentials(query.compile().sql), query.compile().sql).toBe(false)
})
