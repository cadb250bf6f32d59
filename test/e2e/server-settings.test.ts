import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ServerProcess, spawnServer, untilReady } from '../support/process.ts'

let server: ServerProcess
beforeAll(async () => {
  server = await spawnServer({ WORKERS: '2' })
  await untilReady(server)
})
afterAll(async () => {
  await server.stop()
  server.remove()
})

const send = (method: string, path: string, body: unknown, token = '') =>
  fetch(server.baseUrl + path, {
    method,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
  })

/** Each question on a connection of its own, so that both workers are asked. */
async function seen(): Promise<boolean[]> {
  const ask = async () => {
    const answer = await fetch(`${server.baseUrl}/app-config.json`, { headers: { connection: 'close' } })
    return ((await answer.json()) as { credits: boolean }).credits
  }
  return Promise.all(Array.from({ length: 8 }, ask))
}

test('all workers follow an admin who switches credits off', async () => {
  const email = 'boss@example.com'
  const registered = await send('POST', '/api/v1/auth/register', { email, password: 'correct horse battery' })
  const { access_token } = (await registered.json()) as { access_token: string }
  expect((await server.kvault('admin', 'grant', email)).code).toBe(0)
  expect(await seen()).toEqual(Array(8).fill(true))
  await vi.waitUntil(
    async () => (await send('PATCH', '/api/v1/admin/settings', { credits: false }, access_token)).ok,
    { timeout: 10_000, interval: 500 },
  )
  await vi.waitUntil(async () => (await seen()).every((credits) => !credits), { timeout: 20_000 })
})
