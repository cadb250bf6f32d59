import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formOf } from '../support/busy.ts'
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
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-damaged-'))
    const whole = await spawnServer({ DATA_DIR: join(folder, 'whole') })
    await untilReady(whole)
    await whole.stop()
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

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
  test.each(damages)('%s is refused at start in one line with the way back', async (_, damage) => {
    const dataDir = mkdtempSync(join(folder, 'damaged-'))
    const file = join(dataDir, 'vault.db')
    copyFileSync(join(folder, 'whole', 'vault.db'), file)
    damage(file)
    const before = readFileSync(file)
    const refused = await spawnServer({ DATA_DIR: dataDir })
    expect(await refused.exited).toBe(2)
    const lines = refused.output().trim().split('\n')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/is damaged .*kvault restore/)
    expect(readFileSync(file).equals(before)).toBe(true)
  })
})
