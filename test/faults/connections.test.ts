import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LiveVault, liveVault, registerPerson } from '../support/live.ts'

let vault: LiveVault
const sockets: Socket[] = []
beforeAll(async () => {
  vault = await liveVault()
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await vault.close()
})

async function open(text: string): Promise<{ socket: Socket; received: () => string }> {
  const { hostname, port } = new URL(vault.url)
  const socket = connect(Number(port), hostname)
  sockets.push(socket)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.on('error', () => {})
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.write(text)
  return { socket, received: () => received }
}

const untilAnswered = async (received: () => string) => {
  for (let i = 0; i < 1000 && received() === ''; i++) await sleep(10)
  return received()
}

test('connections that say nothing, half a header or half a body keep nobody else from being served', async () => {
  const beginnings = [
    '',
    'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ',
    'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"email":',
    'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"ema',
  ]
  await Promise.all(Array.from({ length: 400 }, (_, i) => open(beginnings[i % beginnings.length] ?? '')))
  for (let i = 0; i < 5; i++) expect((await fetch(`${vault.url}/health/ready`)).status).toBe(200)
})

test('the limits on headers and bodies that never end are set', () => {
  const { server } = vault.app.server
  expect(server.headersTimeout).toBeGreaterThan(0)
  expect(server.headersTimeout).toBeLessThanOrEqual(60_000)
  expect(server.requestTimeout).toBeGreaterThan(0)
  expect(server.requestTimeout).toBeLessThanOrEqual(120_000)
  expect(server.timeout).toBeGreaterThan(0)
})

test.each([
  ['not HTTP at all', 'hello\r\n\r\n', /^HTTP\/1\.1 400 /],
  [
    'a header without an end',
    `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`,
    /^HTTP\/1\.1 431 /,
  ],
  [
    'two lengths',
    'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef',
    /^HTTP\/1\.1 400 /,
  ],
  [
    'a length and chunks, as a smuggler sends them',
    'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x',
    /^HTTP\/1\.1 400 /,
  ],
  ['an unknown method', 'FROB / HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 40[045] /],
  [
    'a path out of the tree',
    'GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n',
    /^HTTP\/1\.1 (200|404) /,
  ],
  [
    'no host',
    'GET /health HTTP/1.1\r\n\r\n',
    /^HTTP\/1\.1 400 [\s\S]*\{"detail":"A request of HTTP\/1.1 needs the header Host.","code":"bad_request"\}$/,
  ],
  ['no host in HTTP/1.0', 'GET /health HTTP/1.0\r\n\r\n', /^HTTP\/1\.1 200 /],
  ['an expectation', 'GET /health HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n', /^HTTP\/1\.1 200 /],
  ['a path that is no text', 'GET /api/v1/cards/%ff HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 4\d\d /],
])('%s gets a clear answer', async (_, text, expected) => {
  const { received } = await open(text)
  const answer = await untilAnswered(received)
  expect(answer).toMatch(expected)
  expect(answer).toMatch(/^x-request-id: [0-9a-f-]{36}\r$/im)
  expect(answer).not.toContain('root:')
})

test('the longest key and query of a search fit into its address, in letters of four bytes too', async () => {
  const person = await registerPerson(vault)
  const asked = new URLSearchParams({ project_key: '𠮷'.repeat(1000), query: '😀'.repeat(2000) })
  const answer = await fetch(`${vault.url}/api/v1/project-context/search?${asked}`, {
    headers: { authorization: `Bearer ${person.token}` },
  })
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({ query: '😀'.repeat(2000) })
})
