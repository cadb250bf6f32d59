import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServerProcess, spawnServer, untilReady } from '../support/process.ts'

let server: ServerProcess
beforeAll(async () => {
  server = await spawnServer({ WORKERS: '2', RATE_LIMIT: 'on' })
  await untilReady(server)
})
afterAll(async () => {
  await server.stop()
  server.remove()
})

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(server.baseUrl + path, {
    method: 'POST',
    // Each call on a connection of its own, so that they reach the workers in turn.
    headers: { 'content-type': 'application/json', connection: 'close', ...headers },
    body: JSON.stringify(body),
  })

/** Processes whose parent is `pid`, read from the kernel. */
function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.trim().split(' ').filter(Boolean).map(Number)
}

function workerPids(): number[] {
  let generation = [server.child.pid ?? 0]
  for (;;) {
    const next = generation.flatMap(childrenOf)
    if (next.length === 0) return generation
    generation = next
  }
}

test('a write through one worker is seen by the next read through another', async () => {
  const registered = await await post('/api/v1/auth/register', {
    email: 'w@example.com',
    password: 'correct horse',
  })

  const { access_token } = (await registered.json()) as { access_token: string }
  const authorization = `Bearer ${access_token}`
  for (let i = 1; i <= 6; i++) {
    expect((await post('/api/v1/auth/api-keys', { name: `key ${i}` }, { authorization })).status).toBe(201)
    const listed = await fetch(`${server.baseUrl}/api/v1/auth/api-keys`, {
      headers: { authorization, connection: 'close' },
    })
    expect(await listed.json()).toHaveLength(i)
  }
})

test('a limit holds for all workers together', async () => {
  const statuses: number[] = []
  for (let i = 0; i < 12; i++) {
    statuses.push((await post('/api/v1/auth/login', { email: `n${i}@example.com`, password: 'x' })).status)
    await sleep(20)
  }
  expect(statuses.at(-1)).toBe(429)
})

test('a killed worker is replaced and the port keeps answering', async () => {
  const before = workerPids()
  expect(before).toHaveLength(2)
  process.kill(before[0] ?? 0, 'SIGKILL')
  await sleep(50)
  for (let i = 0; i < 10; i++) expect((await fetch(`${server.baseUrl}/health`)).status).toBe(200)
  let after = workerPids()
  for (let i = 0; i < 200 && after.length < 2; i++) {
    await sleep(50)
    after = workerPids()
  }
  expect(after).toHaveLength(2)
  expect(after).not.toContain(before[0])
})
