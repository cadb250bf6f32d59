import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type App, buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { Db } from '../../src/db/db.ts'
import { clientOf } from '../support/client.ts'
import { type PostgresServer, startPostgres, startReplica } from '../support/postgres.ts'

let primary: PostgresServer
let replica: PostgresServer
const dataDir = mkdtempSync(join(tmpdir(), 'knowledge-vault-scale-'))
const nodes: App[] = []

async function startNode(env: Record<string, string>): Promise<App> {
  const common = { DATA_DIR: dataDir, LOG_LEVEL: 'silent', RATE_LIMIT: 'off', DATABASE_POOL_SIZE: '4' }
  const app = await buildApp(readConfig({ ...common, ...env }), { log: pino({ level: 'silent' }), jobs: [] })
  nodes.push(app)
  return app
}

async function onReplica<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: replica.url() })
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt++) {
    if (await holds()) return
    await sleep(100)
  }
  throw new Error(`Not so after 40 s: ${what}`)
}

/** Both nodes see the same person, as behind a load balancer. */
async function person(on: App = nodes[0] as App) {
  const email = `${randomUUID()}@example.com`
  const answer = await clientOf(on, {}).post('/api/v1/auth/register', {
    email,
    password: 'correct horse battery',
  })
  expect(answer.status).toBe(201)
  const authorization = `Bearer ${answer.body.access_token}`
  return { email, at: nodes.map((node) => clientOf(node, { authorization })) as Client[] & [Client, Client] }
}

type Client = ReturnType<typeof clientOf>

const card = (title: string) => ({
  title,
  symptom: 'The page stays white after the deployment',
  fix_summary: 'Clear the cache of the proxy and load the page again',
})

const titlesOf = async (client: Client, scope = 'personal') => {
  const answer = await client.get(`/api/v1/cards?scope=${scope}&page_size=100`)
  expect(answer.status).toBe(200)
  return answer.body.items.map((item: { title: string }) => item.title)
}

const pause = () => onReplica('select pg_wal_replay_pause()')
const resume = () => onReplica('select pg_wal_replay_resume()')

/** A connection shows its last statement alone, so any read of a table counts. The watch reads none. */
const readsSeen = async () => {
  const rows = await onReplica(
    `select 1 from pg_stat_activity where application_name = 'knowledge-vault' and query like '%from "%'`,
  )
  return rows.length > 0
}

beforeAll(async () => {
  primary = await startPostgres({ settings: { fsync: 'off' }, isUnique: true })
  replica = await startReplica(primary)
  const env = { DATABASE_URL: primary.url(), DATABASE_READ_URL: replica.url() }
  await startNode(env)
  await startNode(env)
})

afterAll(async () => {
  for (const node of nodes) await node.close()
  await replica?.destroy()
  await primary?.destroy()
  rmSync(dataDir, { recursive: true, force: true })
})

describe('with a replica', () => {
  test('a person’s reads come from it, in the end', async () => {
    const reader = await person()
    await reader.at[0].post('/api/v1/cards', card('Read from afar'))
    await until('a list was read from the replica', async () => {
      expect(await titlesOf(reader.at[1])).toEqual(['Read from afar'])
      return readsSeen()
    })
  })

  test('a write through one node is in the next read of the same person through another', async () => {
    const writer = await person()
    const written: string[] = []
    for (let round = 1; round <= 4; round++) {
      const title = `Round ${round}`
      expect((await writer.at[0].post('/api/v1/cards', card(title))).status).toBe(201)
      written.unshift(title)
      expect(await titlesOf(writer.at[1])).toEqual(written)
      const found = await writer.at[1].post('/api/v1/search', { query: title, limit: 50 })
      expect(found.body.results).toHaveLength(round)
    }
  })

  test('a request that has read the primary does not go back in time', async () => {
    const writer = await person()
    const { user_id } = (await writer.at[0].get('/api/v1/auth/me')).body
    const { database } = (nodes[0] as App).services
    const isReplica = async (db: Db) =>
      (await sql<{ is: boolean }>`select pg_is_in_recovery() as is`.execute(db)).rows[0]?.is === true
    const caughtUp = () => until('it has all', () => isReplica(database.readFor(user_id)))
    await caughtUp()
    await pause()
    await writer.at[0].post('/api/v1/cards', card('Between two times'))
    const request = database.readFor(user_id)
    expect(await isReplica(request).finally(resume)).toBe(false)
    await caughtUp()
    expect(await isReplica(request)).toBe(false)
  })

  test('while it hangs back, everybody still sees their own writes at once, and others’ soon', async () => {
    const author = await person()
    const teammate = await person()
    const space = await author.at[0].post('/api/v1/workspaces', { name: 'Hanging back' })
    const { workspace_id } = space.body
    const added = await author.at[0].post(`/api/v1/workspaces/${workspace_id}/members/by-email`, {
      email: teammate.email,
    })
    expect(added.status).toBe(200)
    await pause()
    try {
      const recorded = await author.at[0].post('/api/v1/cards', { ...card('Lagging'), workspace_id })
      expect(await titlesOf(author.at[1])).toEqual(['Lagging'])
      const shared = await author.at[1].post(`/api/v1/cards/${recorded.body.card_id}/share`)
      expect(shared.status).toBe(200)
      expect((await author.at[0].get(`/api/v1/cards/${recorded.body.card_id}`)).body.status).toBe('published')
      await until('the teammate sees the card', async () =>
        (await titlesOf(teammate.at[1], 'workspace')).includes('Lagging'),
      )
    } finally {
      await resume()
    }
  })

  test('while it hangs back, a new account and a new key work on every node, and a deleted key soon on none', async () => {
    await pause()
    try {
      const newcomer = await person()
      expect((await newcomer.at[1].get('/api/v1/auth/me')).body.email).toBe(newcomer.email)
      const made = await newcomer.at[0].post('/api/v1/auth/api-keys', { name: 'agent' })
      const withKey = nodes.map((node) => clientOf(node, { 'x-api-key': made.body.api_key })) as [
        Client,
        Client,
      ]
      for (const client of withKey) expect((await client.get('/api/v1/cards')).status).toBe(200)
      const gone = await newcomer.at[0].delete(`/api/v1/auth/api-keys/${made.body.key_id}`)
      expect(gone.status).toBe(204)
      expect((await withKey[0].get('/api/v1/cards')).status).toBe(401)
      await until('the key is dead on the other node', async () => {
        return (await withKey[1].get('/api/v1/cards')).status === 401
      })
      expect((await newcomer.at[0].post('/api/v1/auth/logout')).status).toBe(204)
      await until('the session is over on the other node', async () => {
        return (await newcomer.at[1].get('/api/v1/auth/me')).status === 401
      })
    } finally {
      await resume()
    }
  })

  test('nobody notices when it stops, and it is used again when it is back', async () => {
    const reader = await person()
    await reader.at[0].post('/api/v1/cards', card('Still here'))
    await until('the replica is in use', async () => {
      await titlesOf(reader.at[0])
      return readsSeen()
    })
    await replica.stop('immediate')
    for (let round = 0; round < 5; round++)
      for (const client of reader.at) expect(await titlesOf(client)).toEqual(['Still here'])
    expect((await reader.at[0].post('/api/v1/cards', card('Written without it'))).status).toBe(201)
    expect(await titlesOf(reader.at[1])).toHaveLength(2)
    await replica.start()
    await until('the replica is in use again', async () => {
      expect(await titlesOf(reader.at[0])).toHaveLength(2)
      return readsSeen()
    })
  })

  test('once promoted it is no longer read as a replica, and a node can be pointed at it as the primary', async () => {
    const reader = await person()
    await reader.at[0].post('/api/v1/cards', card('Before the promotion'))
    await until('the replica is in use', async () => {
      await titlesOf(reader.at[0])
      return readsSeen()
    })
    // Reads of an earlier test are seen as well, so the card itself is waited for: what has not come by then never comes.
    await until('the replica has the card', async () => {
      const rows = await onReplica("select 1 from cards where title = 'Before the promotion'")
      return rows.length > 0
    })
    await onReplica('select pg_promote(true, 60)')
    // The promoted server has gone its own way; what it lacks from now on must not be missed in answers.
    const colleague = await person()
    await reader.at[0].post('/api/v1/cards', card('After the promotion'))
    await until('the new card is seen by all nodes', async () => {
      const seen = await Promise.all(reader.at.map((client) => titlesOf(client)))
      return seen.every((titles) => titles.includes('After the promotion'))
    })
    expect((await colleague.at[1].get('/api/v1/auth/me')).status).toBe(200)

    const moved = await startNode({ DATABASE_URL: replica.url(), DATABASE_READ_URL: replica.url() })
    const signedIn = await clientOf(moved, {}).post('/api/v1/auth/login', {
      email: reader.email,
      password: 'correct horse battery',
    })
    const there = clientOf(moved, { authorization: `Bearer ${signedIn.body.access_token}` })
    expect(await titlesOf(there)).toEqual(['Before the promotion'])
    expect((await there.post('/api/v1/cards', card('On the new primary'))).status).toBe(201)
    expect(await titlesOf(there)).toEqual(['On the new primary', 'Before the promotion'])
  })
})

test('a read address that is another database is never read from', async () => {
  const node = await startNode({ DATABASE_URL: primary.url(), DATABASE_READ_URL: inject('postgresUrl') })
  const email = `${randomUUID()}@example.com`
  const answer = await clientOf(node, {}).post('/api/v1/auth/register', {
    email,
    password: 'correct horse battery',
  })
  const client = clientOf(node, { authorization: `Bearer ${answer.body.access_token}` })
  for (let round = 0; round < 4; round++) {
    if (round > 0) await sleep(250)
    expect((await client.get('/api/v1/auth/me')).status).toBe(200)
  }
})

test('a read address without the database that it belongs to is a mistake of the configuration', () => {
  expect(() => readConfig({ DATABASE_READ_URL: 'postgres://127.0.0.1/vault' })).toThrow(
    'DATABASE_READ_URL: needs DATABASE_URL',
  )
})
