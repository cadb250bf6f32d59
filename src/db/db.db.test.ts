import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { makeVault, onBothEngines } from '../../test/support/engines.ts'
import { readConfig } from '../config.ts'
import { contextFor, inTx } from '../core/context.ts'
import type { Database } from './db.ts'
import { newId } from './ids.ts'
import { initial } from './migrations/0001-initial.ts'
import { FORMER_LIST, SchemaTooOld } from './migrations/former-list.ts'
import {
  appliedMigrations,
  applyMigrations,
  MIGRATIONS,
  migrate,
  pendingMigrations,
  requirePresentSchema,
  SchemaTooNew,
} from './migrations/migrate.ts'
import type { Migration } from './migrations/statements.ts'
import { NoVault, OtherProgram } from './migrations/whose-tables.ts'
import { openDatabase } from './open.ts'

/** A migration that comes after the present ones. */
const LATER: Migration = {
  name: '9998-later',
  statements: () => ["alter table login_failures add column note text not null default 'later'"],
}

onBothEngines('the database', (t) => {
  const failure = (key: string) => ({
    subject: key,
    failures: 1,
    last_failure_at: '2026-01-01T00:00:00.000Z',
  })

  test('the root handle inside a transaction is refused, not used', async () => {
    const ctx = contextFor(t.app.services)
    await expect(inTx(ctx, () => ctx.db.selectFrom('users').selectAll().execute())).rejects.toThrow(
      /root handle/,
    )
  })

  test('a transaction inside a transaction joins by inTx and is refused by the database', async () => {
    const ctx = contextFor(t.app.services)
    await inTx(ctx, (outer) =>
      inTx(outer, async (inner) => {
        expect(inner.db).toBe(outer.db)
      }),
    )
    await expect(inTx(ctx, () => inTx(ctx, async () => {}))).rejects.toThrow(/inside a transaction/)
  })

  test('a failed transaction leaves nothing', async () => {
    const ctx = contextFor(t.app.services)
    const write = inTx(ctx, async (ctx) => {
      await ctx.db.insertInto('login_failures').values(failure('rolled-back')).execute()
      throw new Error('no')
    })
    await expect(write).rejects.toThrow('no')
    const rows = await ctx.db
      .selectFrom('login_failures')
      .select('subject')
      .where('subject', '=', 'rolled-back')
      .execute()
    expect(rows).toEqual([])
  })

  test('of many writes at once, those that fail leave nothing and the others stay', async () => {
    const ctx = contextFor(t.app.services)
    const write = (number: number) =>
      inTx(ctx, async (ctx) => {
        if (number % 5 === 0) throw new Error('refused before it wrote')
        await ctx.db
          .insertInto('login_failures')
          .values(failure(`crowd-${number}`))
          .execute()
        if (number % 5 === 1) throw new Error('refused after it wrote')
      })
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, (_, number) => write(number)))
    const written = outcomes.flatMap(({ status }, number) => (status === 'fulfilled' ? [number] : []))
    expect(written).toHaveLength(24)
    const rows = await ctx.db
      .selectFrom('login_failures')
      .select('subject')
      .where('subject', 'like', 'crowd-%')
      .execute()
    expect(rows.map((row) => row.subject).sort()).toEqual(written.map((number) => `crowd-${number}`).sort())
  })

  test('concurrent read-modify-write never loses an update', async () => {
    const ctx = contextFor(t.app.services)
    await inTx(ctx, (ctx) => ctx.db.insertInto('login_failures').values(failure('counter')).execute())
    const increment = () =>
      inTx(ctx, async (ctx) => {
        const row = await ctx.db
          .selectFrom('login_failures')
          .select('failures')
          .where('subject', '=', 'counter')
          .executeTakeFirstOrThrow()
        await ctx.db
          .updateTable('login_failures')
          .set({ failures: row.failures + 1 })
          .where('subject', '=', 'counter')
          .execute()
      })
    await Promise.all(Array.from({ length: 20 }, increment))
    const row = await ctx.db
      .selectFrom('login_failures')
      .select('failures')
      .where('subject', '=', 'counter')
      .executeTakeFirst()
    expect(row?.failures).toBe(21)
  })

  test('a unique violation is known as one', async () => {
    const ctx = contextFor(t.app.services)
    const insert = () =>
      inTx(ctx, (ctx) => ctx.db.insertInto('login_failures').values(failure('twice')).execute())
    await insert()
    const error = await insert().catch((error) => error)
    expect(ctx.database.isUniqueViolation(error)).toBe(true)
  })

  test('the ledger and the audit log refuse every change', async () => {
    const user = await t.user()
    const ctx = contextFor(t.app.services)
    const rewrite = inTx(ctx, (ctx) =>
      ctx.db
        .updateTable('credit_entries')
        .set({ delta: 1_000_000 })
        .where('user_id', '=', user.userId)
        .execute(),
    )
    await expect(rewrite).rejects.toThrow(/append-only/)
    await expect(inTx(ctx, (ctx) => ctx.db.deleteFrom('audit_log').execute())).rejects.toThrow(/append-only/)
  })

  test('a database of a newer version is refused with a way back', async () => {
    const { database } = t.app.services
    await expect(applyMigrations(database, [])).rejects.toThrow(SchemaTooNew)
    expect(await migrate(database)).toEqual([])
  })

  test('a database of another program is refused, and nothing is written into it', async () => {
    for (const theirs of [
      'create table schema_migrations (version text)',
      "create table schema_migrations as select '001-theirs' as name, '2020-01-01' as applied_at",
      'create table users (id integer)',
    ]) {
      const vault = await makeVault(t.engine, {}, { isEmpty: true })
      const database = openDatabase(readConfig(vault.env))
      await database.transaction((db) => sql.raw(theirs).execute(db), { isolation: 'read committed' })
      expect(await appliedMigrations(database)).toEqual([])
      await expect(requirePresentSchema(database)).rejects.toThrow(NoVault)
      await expect(migrate(database)).rejects.toThrow(OtherProgram)
      expect(await appliedMigrations(database)).toEqual([])
      if (theirs.includes('users'))
        await expect(sql`select 1 from schema_migrations`.execute(database.read)).rejects.toThrow()
      await database.close()
      await vault.remove()
    }
  })

  test('a vault begins where a refused restore of version 0.1.0 has left its empty table', async () => {
    const vault = await makeVault(t.engine, {}, { isEmpty: true })
    const database = openDatabase(readConfig(vault.env))
    const left = 'create table schema_migrations (name text primary key, applied_at text not null)'
    await database.transaction((db) => sql.raw(left).execute(db), { isolation: 'read committed' })
    await expect(requirePresentSchema(database)).rejects.toThrow(NoVault)
    expect(await migrate(database)).toHaveLength(MIGRATIONS.length)
    await database.close()
    await vault.remove()
  })

  test('a program that does not migrate refuses an empty, an older and a newer database', async () => {
    const vault = await makeVault(t.engine, {}, { isEmpty: true })
    const database = openDatabase(readConfig(vault.env))
    const refusal = () => requirePresentSchema(database).catch((error) => error)
    expect((await refusal()).message).toContain('no vault yet')
    await migrate(database)
    expect(await refusal()).toBeUndefined()
    const later = requirePresentSchema(database, [...MIGRATIONS, LATER])
    expect((await later.catch((error) => error)).message).toBe(
      'This vault is of an older version. Make a backup, then start the service once.',
    )
    expect(await appliedMigrations(database)).toHaveLength(MIGRATIONS.length)
    await applyMigrations(database, [...MIGRATIONS, { name: '9999-unknown', statements: () => [] }])
    expect(await refusal()).toBeInstanceOf(SchemaTooNew)
    await database.close()
    await vault.remove()
  })
})

onBothEngines('a database of the former list of migrations', (t) => {
  const recorded = async ({ read }: Database) => {
    const rows = await read.selectFrom('schema_migrations').select('name').orderBy('name').execute()
    return rows.map(({ name }) => name)
  }

  const sinceInitial = MIGRATIONS.slice(1).map(({ name }) => name)

  /** A vault with the tables of the initial migration that says it has these migrations, with one row in it. */
  async function vaultThatRecords(names: readonly string[]) {
    const vault = await makeVault(t.engine, {}, { isEmpty: true })
    const database = openDatabase(readConfig(vault.env))
    await applyMigrations(database, [initial])
    await database.transaction(
      async (db) => {
        await db.deleteFrom('schema_migrations').execute()
        const applied_at = '2026-01-01T00:00:00.000Z'
        for (const name of names)
          await db.insertInto('schema_migrations').values({ name, applied_at }).execute()
        await db
          .insertInto('login_failures')
          .values({ subject: 'kept', failures: 1, last_failure_at: applied_at })
          .execute()
      },
      { isolation: 'read committed' },
    )
    const remove = async () => {
      await database.close()
      await vault.remove()
    }
    return { database, remove }
  }

  test('has the initial one if it has the whole list', async () => {
    const { database, remove } = await vaultThatRecords(FORMER_LIST)
    await requirePresentSchema(database, [initial])
    expect(await pendingMigrations(database.read)).toBe(sinceInitial.length)
    expect(await appliedMigrations(database)).toEqual([initial.name])
    expect(await recorded(database), 'asking changes nothing').toEqual(FORMER_LIST.toSorted())
    expect(await migrate(database)).toEqual(sinceInitial)
    expect(await recorded(database)).toEqual([initial.name, ...sinceInitial])
    expect(await migrate(database)).toEqual([])
    await remove()
  })

  test('is brought on by later migrations, all or nothing', async () => {
    const { database, remove } = await vaultThatRecords(FORMER_LIST)
    const broken: Migration = { name: '9999-broken', statements: () => ['select nothing from nowhere'] }
    await expect(applyMigrations(database, [...MIGRATIONS, LATER, broken])).rejects.toThrow()
    expect(await recorded(database)).toEqual(FORMER_LIST.toSorted())
    expect(await applyMigrations(database, [...MIGRATIONS, LATER])).toEqual([...sinceInitial, LATER.name])
    expect(await recorded(database)).toEqual([initial.name, ...sinceInitial, LATER.name])
    const kept = await sql`select subject, note from login_failures`.execute(database.read)
    expect(kept.rows).toEqual([{ subject: 'kept', note: 'later' }])
    await remove()
  })

  test('is refused with the way out if it has a part of the list', async () => {
    for (const part of [FORMER_LIST.slice(0, 1), FORMER_LIST.slice(0, -1), FORMER_LIST.toSpliced(30, 1)]) {
      const { database, remove } = await vaultThatRecords(part)
      for (const work of [migrate, requirePresentSchema, appliedMigrations]) {
        const error = await work(database).catch((error) => error)
        expect(error).toBeInstanceOf(SchemaTooOld)
        expect(error.message).toBe(
          'The database was left by an early version of this program, before its migration 0064-server-secret. Start the last version that has this migration once, then start this one.',
        )
      }
      expect(await recorded(database)).toEqual(part.toSorted())
      await remove()
    }
  })

  test('is refused if it has the whole list and a migration that this program does not know', async () => {
    const { database, remove } = await vaultThatRecords([...FORMER_LIST, '9999-unknown'])
    await expect(migrate(database)).rejects.toThrow(SchemaTooNew)
    expect(await recorded(database)).toHaveLength(FORMER_LIST.length + 1)
    await remove()
  })
})

describe('start', () => {
  test('on PostgreSQL a migration may take longer than other statements', async () => {
    const vault = await makeVault('postgres')
    const database = openDatabase(readConfig(vault.env))
    const limits: string[] = []
    const slow: Migration = {
      name: '9999-slow',
      statements: () => [],
      data: async (db) => {
        const { rows } = await sql<{ ms: string }>`select current_setting('statement_timeout') as ms`.execute(
          db,
        )
        limits.push(...rows.map((row) => row.ms))
      },
    }
    await applyMigrations(database, [...MIGRATIONS, slow])
    expect(limits).toEqual(['0'])
    await database.close()
    const url = new URL(vault.env.DATABASE_URL ?? '')
    url.searchParams.set('options', '-csearch_path=other')
    const other = openDatabase(readConfig({ ...vault.env, DATABASE_URL: url.href }))
    const { rows } = await sql`
      select current_setting('search_path') as path, current_setting('synchronous_commit') as durable
    `.execute(other.read)
    expect(rows, 'options of the URL come beside our own').toEqual([{ path: 'other', durable: 'on' }])
    await other.close()
    await vault.remove()
  })

  for (const engine of ['sqlite', 'postgres'] as const)
    test(`several processes may migrate a new ${engine} database at once`, async () => {
      const vault = await makeVault(engine, {}, { isEmpty: true })
      const databases = [1, 2, 3].map(() => openDatabase(readConfig(vault.env)))
      await Promise.all(databases.map((database) => migrate(database)))
      for (const database of databases) expect(await pendingMigrations(database.read)).toBe(0)
      await Promise.all(databases.map((database) => database.close()))
      await vault.remove()
    })
})

test('ids are UUIDs of version 7 that sort by time', () => {
  const [early, late] = [newId(1_000_000), newId(2_000_000)]
  expect(early).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(early < late).toBe(true)
})

test('ids of one millisecond sort in the order in which they were made', () => {
  const made = Array.from({ length: 1000 }, () => newId(3_000_000))
  expect(made.toSorted()).toEqual(made)
})
