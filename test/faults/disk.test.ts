import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { explainStart } from '../../src/start-errors.ts'
import { formOf } from '../support/busy.ts'
import { makeVault, type Vault } from '../support/engines.ts'
import { type ServerProcess, spawnServer, untilReady } from '../support/process.ts'
import { describeWhere, NOT_LINUX } from '../support/skips.ts'
import { leavesOf } from './kill.ts'

let server: ServerProcess
let token = ''
beforeAll(async () => {
  server = await spawnServer()
  await untilReady(server)
  const registered = await post('/api/v1/auth/register', {
    email: 'full@example.com',
    password: 'correct horse',
  })
  token = ((await registered.json()) as { access_token: string }).access_token
})
afterAll(async () => {
  await server.stop()
  server.remove()
})

const post = (path: string, body: unknown) =>
  fetch(server.baseUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify(body),
  })

const material = (content: string) => post('/api/v1/raw-materials', { content })

/** The kernel refuses to let the program's files grow past so many bytes, as a full disk would. */
const allowFilesOf = (bytes: number | 'unlimited') => {
  for (const pid of leavesOf(server.child.pid ?? 0))
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`])
}

describeWhere('a full disk', NOT_LINUX, () => {
  test('is a 503 that a client can wait out, and over when there is room again', async () => {
    expect((await material('before')).status).toBe(201)
    allowFilesOf(statSync(join(server.dataDir, 'vault.db-wal')).size)
    for (let i = 0; i < 3; i++) {
      const refused = await material('x'.repeat(50_000))
      expect(refused.status).toBe(503)
      expect(refused.headers.get('retry-after')).toBeTruthy()
      expect(await refused.json()).toMatchObject({ code: 'unavailable' })
    }
    const form = formOf(
      { email: 'a@example.com', subject: 's', message: 'm' },
      { name: 'a', bytes: 'x'.repeat(5_000_000) },
    )
    const ticket = await fetch(`${server.baseUrl}/api/v1/support/tickets`, {
      method: 'POST',
      headers: { 'content-type': form.contentType },
      body: form.body,
    })
    expect(ticket.status).toBe(503)
    // Reading goes on, and health says that the process is alive.
    expect((await fetch(`${server.baseUrl}/health`)).status).toBe(200)
    const headers = { authorization: `Bearer ${token}` }
    const listed = await fetch(`${server.baseUrl}/api/v1/raw-materials`, { headers })
    expect(((await listed.json()) as { total: number }).total).toBe(1)

    allowFilesOf('unlimited')
    expect((await material('after')).status).toBe(201)
    const again = await fetch(`${server.baseUrl}/api/v1/raw-materials`, { headers })
    expect(((await again.json()) as { total: number }).total).toBe(2)
  })
})

describe('a damaged database file', () => {
  let whole: Vault
  beforeAll(async () => {
    whole = await makeVault('sqlite')
  })
  afterAll(() => whole.remove())

  const damages: [string, (file: string) => void][] = [
    ['half-copied', (file) => truncateSync(file, statSync(file).size >> 1)],
    [
      'of something else',
      (file) => writeFileSync(file, 'this is not a database, it is a longer text than that'.repeat(100)),
    ],
    [
      'with a page overwritten',
      (file) => {
        const bytes = readFileSync(file)
        bytes.fill(0xab, 4096 * 3, 4096 * 8)
        writeFileSync(file, bytes)
      },
    ],
  ]
  const damaged = (damage: (file: string) => void) => {
    const dataDir = mkdtempSync(join(whole.dataDir, 'damaged-'))
    const file = join(dataDir, 'vault.db')
    copyFileSync(join(whole.dataDir, 'vault.db'), file)
    damage(file)
    return { dataDir, file, before: readFileSync(file) }
  }
  const WAY_BACK = /^[^\n]* is damaged [^\n]*kvault restore[^\n]*$/

  test.each(damages)('%s is refused at start in one line with the way back', async (_, damage) => {
    const { dataDir, file, before } = damaged(damage)
    const start = buildApp(readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' }))
    const { message, exitCode } = explainStart(
      await start.then(
        () => new Error('started'),
        (error) => error,
      ),
    )
    expect(message).toMatch(WAY_BACK)
    expect(exitCode).toBe(2)
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  test('is what the program says, and all that it says, when it ends', async () => {
    const { dataDir } = damaged((file) => truncateSync(file, statSync(file).size >> 1))
    const refused = await spawnServer({ DATA_DIR: dataDir })
    expect(await refused.exited).toBe(2)
    expect(refused.output().trim()).toMatch(WAY_BACK)
  })
})
