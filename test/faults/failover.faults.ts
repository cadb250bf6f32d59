import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import pino from 'pino'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type App, buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { clientOf } from '../support/client.ts'
import { QUICK_HASHING } from '../support/engines.ts'
import { freePort, type PostgresServer, startPostgres, startReplica } from '../support/postgres.ts'

const WAIT = { timeout: 60_000, interval: 100 }

/** An address that can be moved to another server, as a balancer or a virtual address is. */
async function movableAddress(first: number) {
  let target = first
  const open = new Set<Socket>()
  const server: Server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        open.delete(from)
        to.destroy()
      })
      from.pipe(to)
    }
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    moveTo: (port: number) => {
      target = port
    },
    close: () => {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}

let primary: PostgresServer
let standby: PostgresServer
let address: Awaited<ReturnType<typeof movableAddress>>
const nodes: App[] = []
const dataDir = mkdtempSync(join(tmpdir(), 'knowledge-vault-failover-'))

async function ask(server: PostgresServer, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url() })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

beforeAll(async () => {
  primary = await startPostgres({ settings: { fsync: 'off' }, isUnique: true })
  standby = await startReplica(primary)
  // Only then a write that was answered is on both.
  await ask(primary, `alter system set synchronous_standby_names = '*'`)
  await ask(primary, 'select pg_reload_conf()')
  address = await movableAddress(primary.port)
  const env = { DATABASE_URL: address.url, DATABASE_READ_URL: standby.url(), DATABASE_POOL_SIZE: '4' }
  for (let i = 0; i < 2; i++)
    nodes.push(
      await buildApp(readConfig({ DATA_DIR: dataDir, RATE_LIMIT: 'off', ...env }), {
        log: pino({ level: 'silent' }),
        passwordHashing: QUICK_HASHING,
      }),
    )
})

afterAll(async () => {
  for (const node of nodes) await node.close()
  address?.close()
  await standby?.destroy()
  await primary?.destroy()
  rmSync(dataDir, { recursive: true, force: true })
})

const at = (node: number, headers: Record<string, string> = {}) => clientOf(nodes[node] as App, headers)

async function person() {
  const email = `${randomUUID()}@example.com`
  const answer = await at(0).post('/api/v1/auth/register', { email, password: 'correct horse battery' })
  expect(answer.status).toBe(201)
  return { authorization: `Bearer ${answer.body.access_token}` }
}

/** Writes one card after the other through a node, each until it is answered, and keeps the titles that were. */
async function write(
  node: number,
  headers: Record<string, string>,
  answered: string[],
  isOver: () => boolean,
) {
  const others = new Set<number>()
  for (let i = 0; !isOver(); i++) {
    const title = `Through node ${node}, number ${i}`
    const card = { title, symptom: 'The page stays white after the move', fix_summary: 'Load the page again' }
    const key = { ...headers, 'idempotency-key': title }
    for (let done = false; !done && !isOver(); ) {
      const { status } = await at(node, key).post('/api/v1/cards', card)
      done = status === 201
      if (done) answered.push(title)
      else others.add(status)
    }
  }
  return others
}

async function titlesOf(node: number, headers: Record<string, string>): Promise<string[]> {
  const titles: string[] = []
  for (let page = 1; ; page++) {
    const { body } = await at(node, headers).get(`/api/v1/cards?page_size=100&page=${page}`)
    titles.push(...body.items.map((item: { title: string }) => item.title))
    if (titles.length >= body.total) return titles.sort()
  }
}

test('a standby that takes over while two nodes write: nothing answered is lost or twice, and both nodes go on by themselves', async () => {
  const writer = await person()
  const made = await at(0, writer).post('/api/v1/auth/api-keys', { name: 'agent' })
  const key = { 'x-api-key': made.body.api_key }
  const answered: [string[], string[]] = [[], []]
  let over = false
  const writers = [0, 1].map((node) => write(node, writer, answered[node] as string[], () => over))
  const bothWrote = (since: number[]) =>
    vi.waitUntil(() => answered.every((titles, node) => titles.length >= (since[node] ?? 0) + 5), WAIT)
  await bothWrote([0, 0])
  await primary.stop('immediate')
  await sleep(500)
  await ask(standby, 'select pg_promote(true, 60)')
  address.moveTo(standby.port)
  await bothWrote(answered.map(({ length }) => length))
  over = true
  for (const others of await Promise.all(writers))
    expect([...others].filter((status) => status !== 503)).toEqual([])

  const kept = await titlesOf(1, writer)
  expect(new Set(kept).size).toBe(kept.length)
  expect(answered.flat().filter((title) => !kept.includes(title))).toEqual([])

  for (const node of [0, 1]) expect((await at(node, key).get('/api/v1/cards')).status).toBe(200)
  expect((await at(0, writer).delete(`/api/v1/auth/api-keys/${made.body.key_id}`)).status).toBe(204)
  await vi.waitUntil(async () => (await at(1, key).get('/api/v1/cards')).status === 401, WAIT)
  for (const node of [0, 1]) expect((await at(node).get('/health/ready')).status).toBe(200)
})
