import { readFileSync } from 'node:fs'
import { Agent, get as httpGet, request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  childrenOf,
  INTO_FULL_DISK,
  type ServerProcess,
  spawnServer,
  untilReady,
} from '../support/process.ts'

let server: ServerProcess
beforeAll(async () => {
  server = await spawnServer({ WORKERS: '2', RATE_LIMIT: 'on', LOG_LEVEL: 'info' }, INTO_FULL_DISK)
  await untilReady(server)
})
afterAll(async () => {
  await server.stop()
  server.remove()
})

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(server.baseUrl + path, {
    method: 'POST',
    // Each call on a connection of its own, so that they reach all workers.
    headers: { 'content-type': 'application/json', connection: 'close', ...headers },
    body: JSON.stringify(body),
  })

const get = (path: string, headers: Record<string, string>) =>
  fetch(server.baseUrl + path, { headers: { connection: 'close', ...headers } })

async function registered(email: string): Promise<string> {
  const answer = await post('/api/v1/auth/register', { email, password: 'correct horse' })
  const { access_token } = (await answer.json()) as { access_token: string }
  return `Bearer ${access_token}`
}

function workerPids(): number[] {
  let generation = [server.child.pid ?? 0]
  for (;;) {
    const next = generation.flatMap(childrenOf)
    if (next.length === 0) return generation
    generation = next
  }
}

test.runIf(process.platform === 'linux')('workers have a small heap, whatever started the service', () => {
  const [worker] = workerPids()
  const flags = readFileSync(`/proc/${worker}/cmdline`, 'utf8').split('\0')
  expect(flags).toEqual(expect.arrayContaining(['--max-semi-space-size=8', '--heap-growing-percent=50']))
})

test('a write through one worker is seen by the next read through another', async () => {
  const authorization = await registered('w@example.com')
  for (let i = 1; i <= 6; i++) {
    expect((await post('/api/v1/auth/api-keys', { name: `key ${i}` }, { authorization })).status).toBe(201)
    const listed = await get('/api/v1/auth/api-keys', { authorization })
    expect(await listed.json()).toHaveLength(i)
  }
})

// These two wait at the same time.
test.concurrent('a key that was taken away through one worker is dead on all within a second', async () => {
  const authorization = await registered('revoked@example.com')
  const made = await post('/api/v1/auth/api-keys', { name: 'short-lived' }, { authorization })
  const { api_key, key_id } = (await made.json()) as { api_key: string; key_id: string }
  const statuses = async () => {
    const answers = Array.from({ length: 12 }, () => get('/api/v1/auth/me', { 'x-api-key': api_key }))
    return new Set((await Promise.all(answers)).map((answer) => answer.status))
  }
  expect(await statuses()).toEqual(new Set([200]))
  const removed = await fetch(`${server.baseUrl}/api/v1/auth/api-keys/${key_id}`, {
    method: 'DELETE',
    headers: { authorization, connection: 'close' },
  })
  expect(removed.ok).toBe(true)
  await sleep(1000)
  expect(await statuses()).toEqual(new Set([401]))
})

test.concurrent('a limit holds for all workers together', async () => {
  const statuses: number[] = []
  for (let i = 0; i < 12; i++) {
    statuses.push((await post('/api/v1/auth/login', { email: `n${i}@example.com`, password: 'x' })).status)
    await sleep(20)
  }
  expect(statuses.at(-1)).toBe(429)
})

/** The status of a POST on a connection of its own, from another address of this machine. */
const statusFrom = (localAddress: string, path: string, body: object, headers: object = {}) =>
  new Promise<number>((resolve, reject) => {
    const options = {
      method: 'POST',
      agent: false,
      localAddress,
      headers: { 'content-type': 'application/json', ...headers },
    }
    httpRequest(server.baseUrl + path, options, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0))
    })
      .once('error', reject)
      .end(JSON.stringify(body))
  })

test.runIf(process.platform === 'linux').each([
  ['chats', '/api/v1/chat/support', (i: number) => ({ message: `How do I search? ${i}` })],
  ['logins', '/api/v1/auth/login', (i: number) => ({ email: `b${i}@example.com`, password: 'x' })],
])('a burst of %s over all workers gets exactly the limit', async (_, path, bodyOf) => {
  for (const address of ['127.0.0.2', '127.0.0.3']) {
    const burst = Array.from({ length: 60 }, (_, i) => statusFrom(address, path, bodyOf(i)))
    expect((await Promise.all(burst)).filter((status) => status !== 429)).toHaveLength(10)
  }
})

const SAMPLE = /^http_requests_total\{method="GET",route="\/health",status="200"\} (\d+)$/m

async function metrics(): Promise<{ requests: number; workers: string[] }> {
  const text = await (await get('/metrics', {})).text()
  const lines = text.matchAll(/^process_resident_memory_bytes\{worker="(\d+)"\} \d+$/gm)
  return { requests: Number(SAMPLE.exec(text)?.[1] ?? 0), workers: Array.from(lines, ([, id = '']) => id) }
}

test('whichever worker is asked for metrics tells those of all', async () => {
  const before = await metrics()
  for (let i = 1; i <= 6; i++) {
    await get('/health', {})
    expect(await metrics()).toEqual({ requests: before.requests + i, workers: ['1', '2'] })
  }
})

test('a worker that hangs keeps nobody from reading the metrics', async () => {
  const before = await metrics()
  const [first = 0] = workerPids()
  process.kill(first, 'SIGSTOP')
  // One of the two connections reaches the other worker.
  const asked = [metrics(), metrics()]
  try {
    const read = await Promise.any(asked)
    expect(read.workers).toEqual(before.workers)
    expect(read.requests).toBeGreaterThanOrEqual(before.requests)
  } finally {
    process.kill(first, 'SIGCONT')
  }
  await Promise.all(asked)
})

test('a killed worker is replaced; the port keeps answering, also to who was on the way to it, and no metric falls', async () => {
  const counted = await metrics()
  const before = workerPids()
  expect(before).toHaveLength(2)
  const [first = 0, second = 0] = before
  // Both are given connections that neither takes.
  for (const pid of before) process.kill(pid, 'SIGSTOP')
  const asked = Array.from({ length: 4 }, () => get('/health', {}))
  await sleep(200)
  process.kill(first, 'SIGKILL')
  process.kill(second, 'SIGCONT')
  for (const { status } of await Promise.all(asked)) expect(status).toBe(200)
  for (let i = 0; i < 10; i++) expect((await get('/health', {})).status).toBe(200)
  await vi.waitUntil(async () => (await metrics()).workers.includes('3'), { timeout: 30_000 })
  expect(workerPids()).toHaveLength(2)
  expect(workerPids()).not.toContain(first)
  const after = await metrics()
  expect(after.workers).toHaveLength(2)
  expect(after.requests).toBe(counted.requests + 14)
})

/** On the connection that `agent` keeps; undefined if nobody answers. */
const askBy = (agent: Agent) =>
  new Promise<number | undefined>((resolve) => {
    const request = httpGet(`${server.baseUrl}/api/v1/auth/me`, { agent }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode))
    })
    request.once('error', () => resolve(undefined))
  })

/** Kills the newest worker while the process that watches it sleeps, and returns what came of two connections. */
async function killUnseen(agents: readonly Agent[]): Promise<(number | undefined)[]> {
  // Killed before it listens, the newest would be replaced after an ever longer pause.
  await vi.waitUntil(async () => (await metrics()).workers.length === 2, { timeout: 20_000 })
  const newest = workerPids().at(-1) ?? 0
  for (const agent of agents) expect(await askBy(agent)).toBe(401)
  // Both workers speak of them through the process that watches them, so it knows that they have taken their connections.
  await metrics()
  const supervisor = server.child.pid ?? 0
  // It will find what the one has counted before it finds that the other is dead.
  for (const pid of [supervisor, newest]) process.kill(pid, 'SIGSTOP')
  const asked = agents.map(askBy)
  try {
    await Promise.race(asked)
    await sleep(200)
  } finally {
    process.kill(newest, 'SIGKILL')
    process.kill(supervisor, 'SIGCONT')
  }
  await vi.waitUntil(() => workerPids().length === 2 && !workerPids().includes(newest), { timeout: 20_000 })
  return Promise.all(asked)
}

test('a worker that dies while another tells it what it counted takes nobody with it', async () => {
  const [older = 0] = workerPids()
  // They are handed out in turn, so each worker has one, unless another connection has come between.
  for (let statuses = [401, 401] as (number | undefined)[]; !statuses.includes(undefined); ) {
    const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })]
    statuses = await killUnseen(agents)
    expect(statuses).toContain(401)
    for (const agent of agents) agent.destroy()
  }
  expect(workerPids()).toContain(older)
  expect(server.child.exitCode).toBeNull()
  const isUp = () =>
    fetch(`${server.baseUrl}/health`, { signal: AbortSignal.timeout(2000) }).then(
      ({ ok }) => ok,
      () => false,
    )
  await vi.waitUntil(isUp, { timeout: 20_000 })
})

test('a log that cannot be written has stopped none of it, and does not stop its end', async () => {
  server.child.kill('SIGTERM')
  expect(await server.exited).toBe(0)
})
