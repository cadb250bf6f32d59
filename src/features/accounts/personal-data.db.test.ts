import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { busyVault } from '../../../test/support/busy.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { PERSONAL_DATA } from './personal-data.ts'

/** Tables that SQLite makes for its own indexes. */
const OF_SQLITE = /^(sqlite_|search_grams|context_event_(grams|words))/

const OWNED = Object.entries(PERSONAL_DATA).flatMap(([table, data]) =>
  data !== null && 'owner' in data ? [{ table, owner: data.owner, end: data.end }] : [],
)

onBothEngines('personal data', (t) => {
  test('names every table of the database', async () => {
    const tables =
      t.engine === 'sqlite'
        ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
        : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`
    const { rows } = await tables.execute(t.app.services.database.read)
    const names = rows.map(({ name }) => name).filter((name) => !OF_SQLITE.test(name))
    expect(names).toContain('users')
    expect(names.filter((name) => !Object.hasOwn(PERSONAL_DATA, name))).toEqual([])
  })

  test('that ends with an account is gone after its deletion, and that of others stays', async () => {
    const { author, reader, team } = await busyVault(t)
    const rowsOf = async (userId: string) => {
      const counts: Record<string, number> = {}
      for (const { table, owner, end } of OWNED) {
        if (end !== 'deleted' && end !== 'removed') continue
        const counted = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}
          where ${sql.ref(owner)} = ${userId}`.execute(t.app.services.database.read)
        if (Number(counted.rows[0]?.n) > 0) counts[table] = Number(counted.rows[0]?.n)
      }
      return counts
    }
    for (const table of ['memberships', 'context_events', 'raw_materials', 'sessions', 'api_keys'])
      expect(await rowsOf(author.userId)).toHaveProperty(table)
    const ofReader = await rowsOf(reader.userId)
    const member = `/api/v1/workspaces/${team.workspace_id}/members/${reader.userId}`
    expect((await author.patch(member, { role: 'admin' })).status).toBe(200)
    const gone = await author.delete('/api/v1/auth/me?confirmed_by_user=true')
    expect([gone.status, gone.body.deleted_materials]).toEqual([200, 1])
    expect(await rowsOf(author.userId)).toEqual({})
    expect(await rowsOf(reader.userId)).toMatchObject(ofReader)
    const { read } = t.app.services.database
    const left = read.selectFrom('users').selectAll().where('user_id', '=', author.userId)
    expect(await left.executeTakeFirst()).toMatchObject({
      email: null,
      email_normal: null,
      password_hash: null,
      display_name: 'deleted user',
      personal_workspace_id: author.workspaceId,
    })
  })
})
