import { readFileSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { leavesOf } from '../../../test/faults/kill.ts'
import { clientOf } from '../../../test/support/client.ts'
import { makeVault, onBothEngines, QUICK_HASHING } from '../../../test/support/engines.ts'
import { freePort, type PostgresServer, startPostgres } from '../../../test/support/postgres.ts'
import { describeWhere, NOT_LINUX } from '../../../test/support/skips.ts'
import { mountSmallDisk, NO_SMALL_DISK } from '../../../test/support/small-disk.ts'
import { startSmtp } from '../../../test/support/smtp.ts'
import { type App, buildApp } from '../../app.ts'
import { readConfig } from '../../config.ts'
import { startJobs } from '../../jobs.ts'
import { NO_WRITES } from './health.ts'

const smtp = await startSmtp()
afterAll(() => smtp.stop())

const MINUTE_MS = 60_000

/** A server that takes connections and never greets anybody; it counts who came. */
async function silentServer() {
  const port = await freePort()
  const sockets = new Set<Socket>()
  let visits = 0
  const server: Server = createServer((socket) => {
    visits++
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `smtp://127.0.0.1:${port}`,
    visits: () => visits,
    stop: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

const ready = (app: App) => clientOf(app, {}).get('/health/ready')
const FIVE = { length: 5 }

/** Asked before all tests and looked at after them, as it takes two seconds. On one engine: no database takes part. */
let silent: Awaited<ReturnType<typeof silentServer>>
let answersInSilence: Promise<Awaited<ReturnType<typeof ready>>[]>
beforeAll(async () => {
  silent = await silentServer()
  const vault = await makeVault('sqlite', { SMTP_URL: silent.url })
  const app = await buildApp(readConfig(vault.env), { jobs: [] })
  answersInSilence = Promise.all(Array.from(FIVE, () => ready(app)))
  return async () => {
    await app.close()
    await vault.remove()
    silent.stop()
  }
})

onBothEngines('readiness', (t) => {
  let app: App
  let offsetMs = 0
  beforeAll(async () => {
    const now = () => new Date(Date.now() + offsetMs)
    app = await buildApp(readConfig({ ...t.vault.env, SMTP_URL: smtp.url }), { jobs: [], now })
  })
  afterAll(() => app.close())

  test('without a mail server there is nothing to ask, and the vault is ready', async () => {
    const { status, body } = await t.anonymous().get('/health/ready')
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'ready', checks: { mail: { status: 'not_configured' } } })
  })

  test('a dead mail server degrades the vault, which still answers 200; the answer is kept for a minute', async () => {
    await smtp.start()
    expect((await ready(app)).body).toMatchObject({ status: 'ready', checks: { mail: { status: 'ok' } } })
    await smtp.stop()
    expect((await ready(app)).body.status).toBe('ready')
    offsetMs += MINUTE_MS
    const down = await ready(app)
    expect(down.status).toBe(200)
    expect(down.body).toMatchObject({
      status: 'degraded',
      checks: { database: { status: 'ok' }, mail: { status: 'failed' } },
    })
    expect(down.body.checks.mail.detail).not.toMatch(/127|ECONN|\d{4}/)
    await smtp.start()
    expect((await ready(app)).body.status).toBe('degraded')
    offsetMs += MINUTE_MS
    expect((await ready(app)).body.status).toBe('ready')
    await smtp.stop()
    offsetMs -= 60 * MINUTE_MS
    expect((await ready(app)).body.status, 'the clock was put back').toBe('degraded')
  })
})

onBothEngines('a job that fails', (t) => {
  test('is counted in the metrics by its name', async () => {
    const run = () => Promise.reject(new Error('no room'))
    const stop = startJobs(t.app.services, [{ name: 'broken', everyMs: MINUTE_MS, run }])
    t.app.services.wakeups.emit('broken')
    await stop()
    const { text } = await t.anonymous().get('/metrics')
    expect(text).toMatch(/^job_failures_total\{job="broken"\} [12]$/m)
  })
})

const disk = mountSmallDisk(64)

describeWhere('readiness on a full disk', disk ? undefined : NO_SMALL_DISK, () => {
  test('is degraded with 200, since reading goes on, and over when there is room again', async () => {
    const config = readConfig({ DATA_DIR: join(disk ?? '', 'data'), LOG_LEVEL: 'silent' })
    const app = await buildApp(config, { jobs: [] })
    const ballast = join(disk ?? '', 'ballast')
    try {
      expect((await ready(app)).body).toMatchObject({ status: 'ready', checks: { disk: { status: 'ok' } } })
      const { bavail, bsize } = statfsSync(disk ?? '')
      writeFileSync(ballast, Buffer.alloc(bavail * bsize))
      const full = await ready(app)
      expect(full.status).toBe(200)
      expect(full.body).toMatchObject({
        status: 'degraded',
        checks: {
          database: { status: 'ok' },
          disk: { status: 'failed', detail: expect.stringContaining('free') },
        },
      })
      rmSync(ballast)
      expect((await ready(app)).body.status).toBe('ready')
    } finally {
      await app.close()
    }
  })
})

test('a data folder that is gone is a 503', async () => {
  const vault = await makeVault('sqlite')
  const app = await buildApp(readConfig(vault.env), { jobs: [] })
  try {
    await vault.remove()
    const { status, body } = await ready(app)
    expect(status).toBe(503)
    expect(body).toMatchObject({ checks: { disk: { status: 'failed' } } })
  } finally {
    await app.close()
  }
})

describeWhere('a database file that was removed or replaced', NOT_LINUX, () => {
  test('takes no writes until it is back: they would be lost', async () => {
    const vault = await makeVault('sqlite')
    const app = await buildApp(readConfig(vault.env), { jobs: [], passwordHashing: QUICK_HASHING })
    const file = join(vault.dataDir, 'vault.db')
    const register = (email: string) =>
      clientOf(app, {}).post('/api/v1/auth/register', { email, password: 'correct horse' })
    try {
      renameSync(file, `${file}.moved`)
      expect((await register('a@example.com')).body).toMatchObject({ code: 'unavailable' })
      writeFileSync(file, '')
      expect((await register('a@example.com')).body).toMatchObject({ code: 'unavailable' })
      expect((await ready(app)).body).toMatchObject({
        status: 'degraded',
        checks: { database: { status: 'failed', detail: NO_WRITES } },
      })
      renameSync(`${file}.moved`, file)
      expect((await register('a@example.com')).status).toBe(201)
      expect((await ready(app)).body.status).toBe('ready')
    } finally {
      await app.close()
      await vault.remove()
    }
  })
})

describeWhere('readiness with a frozen PostgreSQL', NOT_LINUX, () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.destroy())

  test('is a 503 however often it is asked, and over when the database answers again', async () => {
    const vault = await makeVault('sqlite')
    const config = readConfig({ ...vault.env, DATABASE_URL: postgres.url(), DATABASE_POOL_SIZE: '2' })
    const app = await buildApp(config, { jobs: [] })
    const main = Number(readFileSync(join(postgres.dataDir, 'postmaster.pid'), 'utf8').split('\n', 1)[0])
    const processes = [main, ...leavesOf(main)]
    const signal = (name: NodeJS.Signals) => {
      for (const pid of processes) process.kill(pid, name)
    }
    try {
      signal('SIGSTOP')
      const answers = await Promise.all(Array.from(FIVE, () => ready(app)))
      for (const { status, body } of answers)
        expect({ status, database: body.checks.database }).toEqual({
          status: 503,
          database: { status: 'failed', detail: 'The database does not answer' },
        })
    } finally {
      signal('SIGCONT')
    }
    expect((await ready(app)).status).toBe(200)
    await app.close()
    await vault.remove()
  })
})

test('a PostgreSQL that takes no writes is degraded with 200, since reading goes on', async () => {
  const vault = await makeVault('postgres', { DATABASE_POOL_SIZE: '1' })
  const app = await buildApp(readConfig(vault.env), { jobs: [] })
  // Of the one connection, which stands in for the server.
  const set = (value: string) =>
    sql.raw(`set default_transaction_read_only = ${value}`).execute(app.services.database.read)
  try {
    await set('on')
    const { status, body } = await ready(app)
    expect({ status, as: body.status, database: body.checks.database }).toEqual({
      status: 200,
      as: 'degraded',
      database: { status: 'failed', detail: NO_WRITES },
    })
    await set('off')
    expect((await ready(app)).body.status).toBe('ready')
  } finally {
    await app.close()
    await vault.remove()
  }
})

test('a mail server that says nothing is given up, and many who ask make one visit', async () => {
  const answers = await answersInSilence
  expect(answers.map(({ status, body }) => [status, body.status])).toEqual(
    Array.from(FIVE, () => [200, 'degraded']),
  )
  expect(silent.visits()).toBe(1)
})
