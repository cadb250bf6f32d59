import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { TestVault } from '../support/engines.ts'

test('a database that takes no connections is 503, and is served again when it does', async () => {
  const t = new TestVault('postgres', {})
  await t.up()
  const admin = new pg.Client({ connectionString: inject('postgresUrl') })
  await admin.connect()
  try {
    const user = await t.user()
    const name = new URL(t.vault.env.DATABASE_URL ?? '').pathname.slice(1)
    await admin.query(`alter database ${name} with allow_connections false`)
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
    for (let i = 0; i < 3; i++) {
      const refused = await user.post('/api/v1/workspaces', { name: 'Team' })
      expect([refused.status, refused.body.code], refused.text).toEqual([503, 'unavailable'])
      expect(refused.headers['retry-after']).toBeDefined()
    }
    await admin.query(`alter database ${name} with allow_connections true`)
    expect((await user.post('/api/v1/workspaces', { name: 'Team' })).status).toBe(201)
  } finally {
    await admin.end()
    await t.down()
  }
})
