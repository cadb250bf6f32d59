import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { fastFolder } from '../support/fast-folder.ts'
import { childrenOf, type ServerProcess, spawnServer, untilReady } from '../support/process.ts'
import { describeWhere, NOT_LINUX } from '../support/skips.ts'

const WAIT = { timeout: 30_000 }
const FIRST_URL = 'http://127.0.0.1:1001'

describeWhere('a worker that replaces another', NOT_LINUX, () => {
  let server: ServerProcess
  const folder = mkdtempSync(join(fastFolder(), 'knowledge-vault-replaced-'))
  const settings = join(folder, 'settings.env')
  beforeAll(async () => {
    writeFileSync(settings, `BASE_URL=${FIRST_URL}\n`)
    server = await spawnServer({ WORKERS: '2', ENV_FILE: settings })
    await untilReady(server)
    // A connection that is handed to the only worker that listens is lost with it.
    await twoAnswer(2)
  })
  afterAll(async () => {
    await server.stop()
    server.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  const workers = () => childrenOf(server.child.pid ?? 0)
  /** Until its end is known, connections may still be handed to it, and nobody would answer them. */
  const killOne = async () => {
    const [first = 0] = workers()
    process.kill(first, 'SIGKILL')
    await vi.waitUntil(() => server.output().includes(`Worker ${first} ended by SIGKILL.`), WAIT)
  }

  /** Each question on a connection of its own, so that all workers are asked. */
  const ask = (path: string, body?: unknown) => {
    const sent = body
      ? { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
      : {}
    const headers = { ...sent.headers, connection: 'close' }
    return Promise.all(Array.from({ length: 6 }, () => fetch(server.baseUrl + path, { ...sent, headers })))
  }

  /** Which workers tell their figures. A new one does so before it listens; while it is the only one, the port is closed. */
  const numbers = async () => {
    const answer = await fetch(`${server.baseUrl}/metrics`).catch(() => undefined)
    const text = (await answer?.text()) ?? ''
    const found = text.matchAll(/^process_resident_memory_bytes\{worker="(\d+)"\}/gm)
    return Array.from(found, ([, number]) => Number(number)).sort((a, b) => a - b)
  }
  const twoAnswer = (newest: number) =>
    vi.waitUntil(async () => {
      const seen = await numbers()
      return seen.length === 2 && (seen[1] ?? 0) >= newest
    }, WAIT)

  test('has the settings of the start, whatever the file says now', async () => {
    writeFileSync(settings, 'BASE_URL=http://127.0.0.1:1002\n')
    await killOne()
    await twoAnswer(3)
    for (const answer of await ask('/mcp/manifest'))
      expect(await answer.json()).toMatchObject({ base_url: FIRST_URL })
  })

  test('makes no empty vault where the vault has gone, and serves when it is back', async () => {
    const person = { email: 'kept@example.com', password: 'correct horse battery' }
    const [registered] = await ask('/api/v1/auth/register', person)
    expect([201, 409]).toContain(registered?.status)
    const away = join(folder, 'away')
    mkdirSync(away)
    const files = readdirSync(server.dataDir)
    for (const file of files) renameSync(join(server.dataDir, file), join(away, file))
    await killOne()
    await vi.waitUntil(() => server.output().includes('is missing'), WAIT)
    expect(server.output()).toContain(`${join(server.dataDir, 'vault.db')} is missing, though it was there`)
    expect(readdirSync(server.dataDir)).toEqual([])
    for (const file of files) renameSync(join(away, file), join(server.dataDir, file))
    await twoAnswer(5)
    for (const { status } of await ask('/api/v1/auth/login', person)) expect(status).toBe(200)
  })
})
