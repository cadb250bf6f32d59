import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/db/db.ts'
import { DISTRIBUTION } from '../../src/db/distribution.ts'
import { run } from '../support/cluster.ts'
import { TestVault } from '../support/engines.ts'

const vault = new TestVault('postgres', {})
beforeAll(() => vault.up())
afterAll(() => vault.down())

const url = () => vault.vault.env.DATABASE_URL ?? ''

const begin = async (): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url() })
  await client.connect()
  await client.query('begin isolation level serializable')
  return client
}

const lookFor = (client: pg.Client, subject: string) =>
  client.query('select failures from login_failures where subject = $1', [subject])
const put = (client: pg.Client, subject: string) =>
  client.query("insert into login_failures (subject, failures, last_failure_at) values ($1, 1, '')", [
    subject,
  ])

test('on a cluster, Citus knows every table, because it commits in two phases only over tables that it knows', async () => {
  const { rows } = await run(url(), 'select logicalrelid::text as name from pg_dist_partition')
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(DISTRIBUTION).sort())
})

test('on a cluster, a worker keeps nothing of a transaction whose commit the coordinator refuses', async () => {
  const [refused, other] = [await begin(), await begin()]
  try {
    await lookFor(refused, 'a')
    await lookFor(other, 'b')
    await refused.query("insert into trust_due (card_id) values ('half')")
    await put(refused, 'b')
    await put(other, 'a')
    await other.query('commit')
    // The worker has nothing against it; only the coordinator finds out, at the last moment.
    await expect(refused.query('commit')).rejects.toMatchObject({ code: '40001' })
    const { rows } = await run(url(), "select card_id from trust_due where card_id = 'half'")
    expect(rows).toEqual([])
  } finally {
    await Promise.all([refused.end(), other.end()])
  }
})

test('on a cluster, a transaction that its only worker refuses to commit runs again', async () => {
  const { userId } = await vault.user('writer')
  const { database } = vault.app.services
  let tries = 0
  const look = (db: Db, id: string) =>
    db
      .selectFrom('rewarded_texts')
      .select('card_id')
      .where('user_id', '=', userId)
      .where('card_id', '=', id)
      .execute()
  const add = (db: Db, id: string) =>
    db
      .insertInto('rewarded_texts')
      .values({ user_id: userId, card_id: id, sketch: '', created_at: '' })
      .execute()
  const seen = await database.transaction(async (db) => {
    tries++
    const before = await look(db, 'a')
    await add(db, 'b')
    if (tries === 1) {
      const other = await begin()
      const values = [userId, 'b']
      await other.query('select 1 from rewarded_texts where user_id = $1 and card_id = $2', values)
      await other.query("insert into rewarded_texts values ($1, 'a', '', '')", [userId])
      await other.query('commit')
      await other.end()
    }
    return before.length
  })
  expect({ tries, seen }).toEqual({ tries: 2, seen: 1 })
})
