import { randomBytes } from 'node:crypto'
import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { type ServerProcess, spawnServer, untilReady } from '../support/process.ts'
import { describeWhere } from '../support/skips.ts'
import { mountSmallDisk, NO_SMALL_DISK } from '../support/small-disk.ts'

const DISK_MB = 200

const disk = mountSmallDisk(DISK_MB)

const missing = disk ? undefined : NO_SMALL_DISK

describeWhere('a full disk under PostgreSQL', missing, () => {
  let postgres: PostgresServer
  let server: ServerProcess
  let token = ''
  const acknowledged: string[] = []
  const ballast = join(disk ?? '', 'ballast')

  const ask = (method: string, path: string, body?: unknown) =>
    fetch(server.baseUrl + path, {
      method,
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })

  /** Text that no compression makes smaller; what is answered with success is remembered. */
  async function write(): Promise<number> {
    const content = randomBytes(40_000).toString('base64')
    const answer = await ask('POST', '/api/v1/raw-materials', { content })
    if (answer.status === 201) acknowledged.push(((await answer.json()) as { raw_id: string }).raw_id)
    else {
      expect(answer.status).toBe(503)
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await answer.json()).toMatchObject({ code: 'unavailable' })
    }
    return answer.status
  }

  function fillDisk(): void {
    const piece = Buffer.alloc(64 * 1024)
    try {
      for (;;) appendFileSync(ballast, piece)
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC')
    }
  }

  async function untilWritten(): Promise<void> {
    for (let i = 0; i < 300; i++) {
      // As whatever keeps services running would; the vault itself is not touched.
      // Its own recovery may have found no room either; then it neither serves nor ends. It gets longer each time.
      if ([10, 30, 70, 150].includes(i)) await postgres.stop('immediate')
      if (!postgres.isRunning()) await postgres.start()
      if ((await write()) === 201) return
      await sleep(100)
    }
    throw new Error('Nothing could be written for 30 s.')
  }

  async function makeRoom(): Promise<void> {
    rmSync(ballast)
    await untilWritten()
  }

  async function expectAllThere(): Promise<void> {
    expect(acknowledged.length).toBeGreaterThan(0)
    for (const rawId of acknowledged)
      expect((await ask('GET', `/api/v1/raw-materials/${rawId}`)).status).toBe(200)
  }

  beforeAll(async () => {
    postgres = await startPostgres({
      folder: disk ?? '',
      settings: { min_wal_size: '32MB', max_wal_size: '48MB' },
    })
    server = await spawnServer({ DATABASE_URL: postgres.url(), LOG_LEVEL: 'silent' })
    await untilReady(server)
    const registered = await ask('POST', '/api/v1/auth/register', {
      email: 'full@example.com',
      password: 'correct horse battery',
    })
    token = ((await registered.json()) as { access_token: string }).access_token
  })
  afterAll(async () => {
    await server.stop()
    server.remove()
    await postgres.destroy()
  })

  test('no room for rows: writes are a 503 that can be waited out, reading goes on, nothing acknowledged is lost', async () => {
    expect(await write()).toBe(201)
    fillDisk()
    const statuses: number[] = []
    for (let i = 0; i < 100 && statuses.filter((status) => status === 503).length < 5; i++)
      statuses.push(await write())
    expect(statuses.filter((status) => status === 503)).toHaveLength(5)
    await expectAllThere()
    expect((await fetch(`${server.baseUrl}/health`)).status).toBe(200)
    await makeRoom()
    expect(await write()).toBe(201)
    await expectAllThere()
  })

  test('no room for its log, so that it goes down: the vault says 503 and is back when the server is', async () => {
    expect(await write()).toBe(201)
    fillDisk()
    const client = new pg.Client({ connectionString: postgres.url() })
    client.on('error', () => {})
    await client.connect()
    // Into the log alone, until it needs a file for which there is no room.
    let failure: unknown
    for (let i = 0; i < DISK_MB && !failure; i++)
      await client
        .query(`select pg_logical_emit_message(true, 'filler', repeat('x', 1000000))`)
        .catch((error: unknown) => {
          failure = error
        })
    await client.end().catch(() => {})
    // Not a statement that was refused, but a server that gave up.
    expect(failure).toMatchObject({ severity: 'PANIC' })
    for (let i = 0; i < 3; i++) await write()
    expect((await fetch(`${server.baseUrl}/health`)).status).toBe(200)
    expect((await ask('GET', '/health')).status, 'also for somebody with a credential').toBe(200)
    await makeRoom()
    // Its other processes may have written this before it went down.
    await untilWritten()
    await expectAllThere()
  })
})
