import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { TIMEOUTS } from '../../src/doors/http/connections.ts'
import { TestVault } from '../support/engines.ts'

const t = new TestVault('postgres', {})
let other: pg.Client
beforeAll(async () => {
  await t.up()
  other = new pg.Client({ connectionString: t.vault.env.DATABASE_URL })
  await other.connect()
})
afterAll(async () => {
  await other.end()
  await t.down()
})

/** Ends the statements that wait for a lock, as the server does after `statement_timeout`. */
const cancelWaiting = () =>
  vi.waitUntil(async () => {
    // Within a transaction PostgreSQL shows the activity as it was at the first look.
    await other.query('select pg_stat_clear_snapshot()')
    const { rowCount } = await other.query(`
      select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'
    `)
    return rowCount
  }, 30_000)

test('a statement that the database ends because it waits for a lock is 503', async () => {
  const user = await t.user()
  await other.query('begin; lock table workspaces in access exclusive mode')
  const requests = [
    () => user.get('/api/v1/workspaces'),
    () => user.post('/api/v1/workspaces', { name: 'Team' }),
  ]
  for (const send of requests) {
    const answer = send()
    await cancelWaiting()
    const refused = await answer
    expect([refused.status, refused.body.code], refused.text).toEqual([503, 'unavailable'])
    expect(refused.headers['retry-after']).toBeDefined()
  }
  await other.query('rollback')
  expect((await user.post('/api/v1/workspaces', { name: 'Team' })).status).toBe(201)
})

test('the database ends it before the connection of the client is closed', async () => {
  const { rows } = await sql<{ ms: number }>`
    select extract(epoch from current_setting('statement_timeout')::interval)::int * 1000 as ms
  `.execute(t.app.services.database.read)
  expect(rows[0]?.ms).toBeGreaterThan(0)
  expect(rows[0]?.ms).toBeLessThan(TIMEOUTS.idleTimeoutMs)
})
