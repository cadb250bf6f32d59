import { sql } from 'kysely'
import { afterEach, expect, inject, test, vi } from 'vitest'
import { type Named, prepared } from '../prepared.ts'
import { ConnectionQueue, openPool, runUnlimited, serveSince, WaitedTooLong } from './pool.ts'
import { openPostgres } from './postgres.ts'

const opened: ConnectionQueue[] = []
afterEach(async () => {
  for (const queue of opened.splice(0)) await queue.end()
})

function queueWith(connectionTimeoutMillis: number): ConnectionQueue {
  const config = { connectionString: inject('postgresUrl'), max: 1, connectionTimeoutMillis }
  const queue = new ConnectionQueue(openPool(config, () => {}))
  opened.push(queue)
  return queue
}

test('a free connection goes to the oldest request, not to the one that asked for it first', async () => {
  const queue = queueWith(10_000)
  const held = await queue.connect()
  const served: string[] = []
  const ask = (name: string, since: number) =>
    new Promise<void>((resolve) => {
      serveSince(since, async () => {
        const client = await queue.connect()
        served.push(name)
        client.release()
        resolve()
      })
    })
  const all = [ask('newcomer', 300), ask('first', 100), ask('second', 200), ask('also second', 200)]
  held.release()
  await Promise.all(all)
  expect(served).toEqual(['first', 'second', 'also second', 'newcomer'])
  expect(queue.waitMs()).toBe(0)
})

test('a caller that waits too long gives up and leaves the queue, and others are served afterwards', async () => {
  const queue = queueWith(10_000)
  const held = await queue.connect()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const waiting = expect(queue.connect()).rejects.toBeInstanceOf(WaitedTooLong)
  expect(queue.waitMs()).toBeGreaterThanOrEqual(0)
  vi.advanceTimersByTime(10_000)
  vi.useRealTimers()
  await waiting
  expect(queue.waitMs()).toBe(0)
  held.release()
  const client = await queue.connect()
  expect((await client.query('select 1 as one', [])).rows).toEqual([{ one: 1 }])
  client.release()
})

test('a server that cannot be reached uses up no connection', async () => {
  const pool = openPool({ host: '127.0.0.1', port: 1, max: 1, connectionTimeoutMillis: 1000 }, () => {})
  const queue = new ConnectionQueue(pool)
  for (let i = 0; i < 3; i++) await expect(queue.connect()).rejects.toThrow(/ECONNREFUSED/)
  await queue.end()
})

test('where the server gives fewer connections than the pool may have, requests wait for those that there are', async () => {
  const admin = queueWith(10_000)
  const owner = await admin.connect()
  const url = new URL(inject('postgresUrl'))
  url.username = `narrow_${process.pid}`
  await owner.query(`create role ${url.username} login connection limit 1`, [])
  const config = { connectionString: url.href, max: 3, connectionTimeoutMillis: 10_000 }
  const queue = new ConnectionQueue(openPool(config, () => {}))
  const held = await queue.connect()
  const use = async () => {
    const client = await queue.connect()
    const { rows } = await client.query('select 1 as one', [])
    client.release()
    return rows
  }
  const uses = Promise.all([use(), use(), use()])
  await vi.waitUntil(() => queue.waitMs() > 0, { timeout: 10_000 })
  held.release()
  expect(await uses).toEqual([[{ one: 1 }], [{ one: 1 }], [{ one: 1 }]])
  await queue.end()
  await owner.query(`drop role ${url.username}`, [])
  owner.release()
})

/** `pg_sleep` stands in for a host that is gone: the connection stays open, and nothing comes. */
const SILENT = 'select pg_sleep(0.4)'

test('a connection whose server has become silent is given up, and another takes its room', async () => {
  const broken: string[] = []
  const config = { connectionString: inject('postgresUrl'), max: 1 }
  const queue = new ConnectionQueue(openPool(config, ({ message }) => void broken.push(message), 100))
  opened.push(queue)
  const client = await queue.connect()
  await expect(client.query(SILENT, [])).rejects.toThrow('The database has become silent')
  client.release()
  expect(broken).toEqual(['The database has become silent'])
  const next = await queue.connect()
  expect((await next.query('select 1 as one', [])).rows).toEqual([{ one: 1 }])
  next.release()
  const unlimited = await runUnlimited(() => queue.connect())
  await unlimited.query(SILENT, [])
  unlimited.release()
})

const doubled = prepared(
  'doubled',
  (_, parameter: Named<{ number: number }>) =>
    sql<{ twice: number }>`select 2 * ${parameter('number')}::int as twice`,
  { keepsPlan: true },
)

test.each([
  ['is planned once by a connection of our own', undefined, 1],
  ['has no name behind a pooler, which gives each transaction another connection', inject('postgresUrl'), 0],
])('a statement whose plan is kept %s', async (_, directUrl, plans) => {
  const database = openPostgres({
    url: inject('postgresUrl'),
    directUrl,
    poolSize: 1,
    onIdleError: () => {},
  })
  for (const number of [2, 3])
    expect(await doubled(database.read, { number })).toEqual([{ twice: 2 * number }])
  const { rows } = await sql<{
    name: string
    statement: string
  }>`select name, statement from pg_prepared_statements`.execute(database.read)
  expect(rows).toHaveLength(plans)
  for (const { name, statement } of rows) {
    expect(name).toMatch(/^doubled_\d+$/)
    expect(statement).toMatch(/^\/\* doubled \*\/ select 2 \* /)
  }
  await database.close()
})
