import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompiledQuery, sql } from 'kysely'
import pino from 'pino'
import { expect, test } from 'vitest'
import { type App, buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { isOpenDevelopment } from '../../src/core/own-addresses.ts'
import type { Db } from '../../src/db/db.ts'
import { type Named, prepared } from '../../src/db/prepared.ts'
import { makeAdmin } from '../support/admin.ts'
import { clientOf } from '../support/client.ts'
import { makeVault, onBothEngines, QUICK_HASHING } from '../support/engines.ts'
import { spawnServer, untilReady } from '../support/process.ts'

const deletePrepared = prepared('deletePrepared', (db, parameter: Named<{ user: string }>) =>
  db.deleteFrom('sessions').where('user_id', '=', parameter('user')),
)

const WAYS_TO_END_SESSIONS: Record<string, (db: Db, user: string) => Promise<unknown>> = {
  'a built query': (db, user) => db.deleteFrom('sessions').where('user_id', '=', user).execute(),
  'a prepared query': (db, user) => deletePrepared(db, { user }),
  'raw SQL': (db, user) => sql`delete from sessions where user_id = ${user}`.execute(db),
  'compiled text': (db, user) =>
    db.executeQuery(CompiledQuery.raw(`delete from sessions where user_id = '${user}'`)),
}

onBothEngines('a closed door', (t) => {
  test('however sessions are ended, a remembered caller is forgotten', async () => {
    for (const [way, end] of Object.entries(WAYS_TO_END_SESSIONS)) {
      const user = await t.user()
      const remembered = async () => {
        expect((await user.get('/api/v1/auth/me')).status, way).toBe(200)
        return t.app.services.credentials.find(user.token, t.app.services.now().getTime())
      }
      await expect.poll(remembered, { message: way }).toBeDefined()
      await t.app.services.database.transaction((db) => end(db, user.userId))
      expect((await user.get('/api/v1/auth/me')).status, way).toBe(401)
    }
  })

  test('a link to the guide cannot send its reader to another server', async () => {
    const foreign = await t.anonymous().get('/ai-guide?base_url=https://attacker.example')
    expect([foreign.status, foreign.body.detail[0].loc]).toEqual([422, ['query', 'base_url']])
    expect(foreign.body.base_url).toBeUndefined()
    const own = await t.anonymous().get('/ai-guide?base_url=http://localhost:8080/')
    expect([own.status, own.body.base_url]).toEqual([200, 'http://localhost:8080'])
  })

  test('the support chat reads only so much of what was said before', async () => {
    const history = (length: number) =>
      Array.from({ length: 20 }, () => ({ role: 'user', content: 'x'.repeat(length) }))
    for (const url of ['/api/v1/chat/support', '/api/v1/chat/support/stream']) {
      const long = await t.anonymous().post(url, { message: 'How do I search?', history: history(1300) })
      expect([long.status, long.body.detail[0].loc]).toEqual([422, ['body', 'history']])
    }
    const short = await t
      .anonymous()
      .post('/api/v1/chat/support', { message: 'How?', history: history(1000) })
    expect(short.status).toBe(200)
  })
})

async function withVault<T>(
  env: Record<string, string>,
  use: (get: ReturnType<typeof clientOf>['get'], app: App) => Promise<T>,
) {
  const vault = await makeVault('sqlite', env)
  const app = await buildApp(readConfig(vault.env), {
    log: pino({ level: 'silent' }),
    jobs: [],
    passwordHashing: QUICK_HASHING,
  })
  try {
    return await use(clientOf(app, {}).get, app)
  } finally {
    await app.close()
    await vault.remove()
  }
}

test('metrics are open to nobody but this machine, unless a token is set', async () => {
  const token = 'metrics-'.repeat(4)
  const statuses = (env: Record<string, string>) =>
    withVault(env, async (get) => [
      (await get('/metrics')).status,
      (await get('/metrics', { authorization: `Bearer ${token}` })).status,
    ])
  expect(await statuses({})).toEqual([200, 200])
  expect(await statuses({ NODE_ENV: 'production' })).toEqual([403, 403])
  expect(await statuses({ HOST: '0.0.0.0' })).toEqual([403, 403])
  // A proxy on this machine passes on the requests of others.
  expect(await statuses({ BASE_URL: 'https://vault.example' })).toEqual([403, 403])
  expect(await statuses({ NODE_ENV: 'production', METRICS_TOKEN: token })).toEqual([401, 200])
})

test('over HTTPS only a cookie that no neighbouring host can plant is a session', async () => {
  await withVault({ BASE_URL: 'https://vault.example' }, async (get, app) => {
    const body = { email: 'ada@example.com', password: 'correct horse battery' }
    const cookie = { 'x-session': 'cookie' }
    const { headers } = await clientOf(app, cookie).post('/api/v1/auth/register', body)
    const [own = '', ...attributes] = String(headers['set-cookie']).split('; ')
    expect(own).toMatch(/^__Host-kv_session=kvs_/)
    expect(attributes).toEqual(expect.arrayContaining(['Path=/', 'Secure', 'HttpOnly']))
    const planted = own.replace('__Host-', '')
    expect((await get('/api/v1/auth/me', { cookie: planted })).status).toBe(401)
    expect((await get('/api/v1/auth/me', { cookie: `${planted}; ${own}` })).status).toBe(200)
  })
})

test('over HTTPS browsers are told to stay there, for this host alone', async () => {
  const told = (env: Record<string, string>) =>
    withVault(env, async (get) => (await get('/health')).headers['strict-transport-security'])
  expect(await told({ BASE_URL: 'https://vault.example' })).toBe('max-age=31536000')
  expect(await told({ BASE_URL: 'http://vault.example' })).toBeUndefined()
})

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('nobody else on the machine reads the vault, also one that an earlier version left open', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-test-'))
  const dataDir = join(folder, 'new', 'data')
  const start = () =>
    buildApp(readConfig({ DATA_DIR: dataDir }), { log: pino({ level: 'silent' }), jobs: [] })
  const modes = () =>
    Object.fromEntries(readdirSync(dataDir).map((name) => [name, modeOf(join(dataDir, name))]))
  const closed = { 'vault.db': '600', 'vault.db-wal': '600', 'vault.db-shm': '600', 'secret.key': '600' }
  const first = await start()
  expect(modeOf(dataDir)).toBe('700')
  expect(modes()).toMatchObject(closed)
  await first.close()
  chmodSync(join(dataDir, 'vault.db'), 0o644)
  chmodSync(dataDir, 0o755)
  const second = await start()
  expect(modeOf(dataDir)).toBe('750')
  expect(modes()).toMatchObject(closed)
  await second.close()
  rmSync(folder, { recursive: true })
})

test('a vault that others can reach without NODE_ENV=production says so at the start', async () => {
  const server = await spawnServer({ BASE_URL: 'https://vault.example.com' })
  await untilReady(server)
  await server.stop()
  server.remove()
  expect(server.output()).toMatch(/Warning: NODE_ENV is not "production"/)
  const isOpen = (env: Record<string, string>) => isOpenDevelopment(readConfig(env))
  expect(isOpen({ HOST: '0.0.0.0' })).toBe(true)
  expect(isOpen({ BASE_URL: 'https://vault.example.com' })).toBe(true)
  // That a usual start says no such thing is in test/e2e/start.test.ts.
  expect(isOpen({})).toBe(false)
  expect(isOpen({ HOST: '0.0.0.0', NODE_ENV: 'production' })).toBe(false)
})

test('and tells its admins, and nobody else, in the app', async () => {
  const warningsOf = (env: Record<string, string>, email: string) =>
    withVault(env, async (_get, app) => {
      const body = { email, password: 'correct horse battery' }
      const { access_token } = (await clientOf(app, {}).post('/api/v1/auth/register', body)).body
      if (email === 'admin@example.com') await makeAdmin(app, email)
      return clientOf(app, { authorization: `Bearer ${access_token}` }).get('/api/v1/admin/warnings')
    })
  const told = await warningsOf({ HOST: '0.0.0.0' }, 'admin@example.com')
  expect(told.body.items).toMatchObject([{ code: 'open_development' }])
  expect((await warningsOf({}, 'admin@example.com')).body.items).toEqual([])
  expect((await warningsOf({ HOST: '0.0.0.0' }, 'other@example.com')).status).toBe(403)
})
