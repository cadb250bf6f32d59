import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { clientOf } from '../support/client.ts'
import { makeVault, QUICK_HASHING, type Vault } from '../support/engines.ts'
import { freePort } from '../support/postgres.ts'
import { describeWhere } from '../support/skips.ts'

const PGBOUNCER = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((file) => existsSync(file))
const SESSION =
  'set synchronous_commit = on; set statement_timeout = 25000; set idle_in_transaction_session_timeout = 60000'

const canConnect = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

/** PgBouncer refuses to run as root, as PostgreSQL does. */
const asOrdinaryUser = () =>
  process.getuid?.() === 0
    ? {
        uid: Number(execFileSync('id', ['-u', 'postgres'])),
        gid: Number(execFileSync('id', ['-g', 'postgres'])),
      }
    : {}

/** Three connections to PostgreSQL for all, each lent for one transaction. */
async function startPooler(url: URL, connectQuery: string) {
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-pooler-'))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: 3,
    max_client_conn: 200,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  const target = `host=${url.hostname} port=${url.port} dbname=${url.pathname.slice(1)} user=${url.username}`
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]\nvault = ${target} connect_query='${connectQuery}'\n[pgbouncer]\n${lines.join('\n')}\n`,
  )
  const child = spawn(PGBOUNCER ?? '', ['-q', join(folder, 'pgbouncer.ini')], {
    ...asOrdinaryUser(),
    stdio: 'ignore',
  })
  for (let attempt = 0; !(await canConnect(port)); attempt++) {
    if (attempt === 200 || child.exitCode !== null) throw new Error('PgBouncer did not start')
    await sleep(50)
  }
  return {
    url: `postgres://postgres@127.0.0.1:${port}/vault`,
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

describeWhere('nodes behind PgBouncer', PGBOUNCER ? undefined : 'PgBouncer is not installed', () => {
  let vault: Vault
  const poolers: Awaited<ReturnType<typeof startPooler>>[] = []
  const nodes: App[] = []

  const startNode = async (connectQuery: string) => {
    const pooler = await startPooler(new URL(vault.env.DATABASE_URL as string), connectQuery)
    poolers.push(pooler)
    return startWith({ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: vault.env.DATABASE_URL as string })
  }

  const startWith = async (urls: Record<string, string>) => {
    const env = { ...vault.env, ...urls }
    const log = pino({ level: 'silent' })
    const node = await buildApp(readConfig(env), { log, jobs: [], passwordHashing: QUICK_HASHING })
    nodes.push(node)
    return node
  }

  beforeAll(async () => {
    vault = await makeVault('postgres')
    await startNode(SESSION)
    await startNode(SESSION)
  })

  afterAll(async () => {
    for (const node of nodes) await node.close()
    for (const pooler of poolers) await pooler.stop()
    await vault.remove()
  })

  const at = (node: number, headers: Record<string, string> = {}) => clientOf(nodes[node] as App, headers)

  async function person(name: string) {
    const answer = await at(0).post('/api/v1/auth/register', {
      email: `${name}@example.com`,
      password: 'correct horse battery',
    })
    expect(answer.status).toBe(201)
    return { authorization: `Bearer ${answer.body.access_token}` }
  }

  test('more writers than connections are all served, and the other node finds what they wrote', async () => {
    const own = await person('writer')
    const titles = Array.from({ length: 24 }, (_, i) => `Worker ${i} stops at midnight`)
    const answers = await Promise.all(
      titles.map((title, i) =>
        at(i % 2, own).post('/api/v1/cards', { title, symptom: 'It stops', fix_summary: 'Start it again' }),
      ),
    )
    expect(answers.map((answer) => answer.status)).toEqual(titles.map(() => 201))
    const listed = await at(1, own).get('/api/v1/cards?scope=personal&page_size=100')
    expect(listed.body.total).toBe(titles.length)
  })

  test('a key that one node deletes is soon dead at the other', async () => {
    const own = await person('holder')
    const made = await at(0, own).post('/api/v1/auth/api-keys', { name: 'agent', scopes: ['search'] })
    const key = { authorization: `Bearer ${made.body.api_key}` }
    expect((await at(1, key).get('/api/v1/auth/me')).status).toBe(200)
    expect((await at(0, own).delete(`/api/v1/auth/api-keys/${made.body.key_id}`)).status).toBeLessThan(300)
    await expect.poll(async () => (await at(1, key).get('/api/v1/auth/me')).status).toBe(401)
  })

  test('a pooler without our settings is not served through', async () => {
    await expect(startNode('set synchronous_commit = off')).rejects.toThrow(
      /synchronous_commit is off.*statement_timeout is 0.*idle_in_transaction_session_timeout is 0.*pgbouncer\.ini/,
    )
  })

  test('a pooler without DATABASE_DIRECT_URL is told by one line that names it', async () => {
    await expect(startWith({ DATABASE_URL: poolers[0]?.url ?? '' })).rejects.toThrow(
      /^The database at 127\.0\.0\.1:\d+\/vault cannot be used: it leads through a pooler, .*DATABASE_DIRECT_URL.*$/,
    )
    const direct = { DATABASE_DIRECT_URL: vault.env.DATABASE_URL ?? '' }
    await expect(startWith({ ...direct, DATABASE_URL: `${poolers[0]?.url}9` })).rejects.toThrow(
      /^The database at [^\n]*\/vault9 cannot be used: [^\n]*Check DATABASE_URL\.$/,
    )
  })

  test('a direct way to nowhere, to another database or through the pooler is refused', async () => {
    const pooler = poolers[0]?.url ?? ''
    const other = await makeVault('postgres')
    const samples: [string, RegExp][] = [
      [
        `postgres://127.0.0.1:${await freePort()}/vault`,
        /nothing listens there\. Check DATABASE_DIRECT_URL\.$/,
      ],
      [other.env.DATABASE_URL ?? '', /not the database behind DATABASE_URL.*Check DATABASE_DIRECT_URL\.$/],
      [pooler, /leads through a pooler itself\. Check DATABASE_DIRECT_URL\.$/],
    ]
    await Promise.all(
      samples.map(([direct, said]) =>
        expect(startWith({ DATABASE_URL: pooler, DATABASE_DIRECT_URL: direct })).rejects.toThrow(said),
      ),
    )
    await other.remove()
  })
})
