import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../src/db/ids.ts'
import { type LiveVault, liveVault, registerPerson } from '../support/live.ts'

/** As in production, but a hundred times shorter. */
const TIMEOUTS = {
  headersMs: 300,
  requestMs: 600,
  idleTimeoutMs: 1000,
  keepAliveMs: 300,
  readerMs: 1000,
  lookMs: 100,
  connections: 20,
}
/** Bounded, and far more than a busy machine needs. */
const WAITS = 600
const WAIT_MS = 50
/** More than the buffers between two processes take. */
const MATERIALS = 24

let vault: LiveVault
let token = ''
const sockets: Socket[] = []

beforeAll(async () => {
  vault = await liveVault({}, { timeouts: TIMEOUTS, shedding: false })
  const person = await registerPerson(vault)
  token = person.token
  const made = await person.post('/api/v1/raw-materials', { content: 'a line of a log\n'.repeat(60_000) })
  expect(made.status).toBe(201)
  await vault.app.services.database.transaction(async (db) => {
    const row = await db.selectFrom('raw_materials').selectAll().executeTakeFirstOrThrow()
    for (let i = 1; i < MATERIALS; i++)
      await db
        .insertInto('raw_materials')
        .values({ ...row, raw_id: newId() })
        .execute()
  })
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await vault.close()
})

function open(): Socket {
  const { hostname, port } = new URL(vault.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  sockets.push(socket)
  return socket
}

const connections = () =>
  new Promise<number>((resolve, reject) =>
    vault.app.server.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )

async function untilConnections(wanted: (count: number) => boolean): Promise<number> {
  let count = await connections()
  for (let i = 0; i < WAITS && !wanted(count); i++) {
    await sleep(WAIT_MS)
    count = await connections()
  }
  return count
}

/** Goes on for as long as the other side bears it. */
async function drip(socket: Socket, piece: string): Promise<void> {
  for (let i = 0; i < WAITS && !socket.destroyed && socket.writable; i++) {
    socket.write(piece)
    await sleep(WAIT_MS)
  }
}

const post = 'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
test.concurrent.each([
  ['says nothing', '', ''],
  ['sends its headers drop by drop', 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ', 'a'],
  ['sends its body drop by drop', `${post}Content-Length: 100000\r\n\r\n{"email":"`, 'a'],
  ['sends its chunks drop by drop', `${post}Transfer-Encoding: chunked\r\n\r\n`, '1\r\na\r\n'],
  ['asks once and stays', 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n', ''],
])('a client that %s is cut off', async (_, beginning, piece) => {
  const socket = open()
  socket.resume()
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(beginning)
  await Promise.all([drip(socket, piece), closed])
  expect(await untilConnections((count) => count === 0)).toBe(0)
})

const askForEverything = () => {
  const socket = open()
  socket.write(
    `GET /api/v1/auth/me/export HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
  )
  return socket
}

// At the same time as those above: in the end the server has no connection of any of them.
test.concurrent('a client that asks for much and never reads it is cut off', async () => {
  const socket = askForEverything()
  socket.pause()
  await untilConnections((count) => count > 0)
  expect(await untilConnections((count) => count === 0)).toBe(0)
})

test.concurrent('a client that reads its answer drop by drop is cut off', async () => {
  const socket = askForEverything()
  let read = 0
  const reading = (async () => {
    for (let i = 0; i < WAITS && !socket.destroyed; i++) {
      read += (socket.read(1) as Buffer | null)?.length ?? 0
      await sleep(WAIT_MS)
    }
  })()
  await untilConnections((count) => count > 0)
  expect(await untilConnections((count) => count === 0)).toBe(0)
  socket.destroy()
  await reading
  expect(read).toBeLessThan(100_000)
})

test('a client that reads as it can gets all of it', async () => {
  const answer = await fetch(`${vault.url}/api/v1/auth/me/export`, {
    headers: { authorization: `Bearer ${token}`, connection: 'close' },
  })
  const lines = (await answer.text()).trim().split('\n')
  expect(lines.filter((line) => JSON.parse(line).kind === 'raw_material')).toHaveLength(MATERIALS)
})

test('more connections than a process takes are closed at once, and there is room again when some have gone', async () => {
  await untilConnections((count) => count === 0)
  const many = Array.from({ length: TIMEOUTS.connections + 10 }, open)
  let refused = 0
  for (const socket of many) socket.resume().once('close', () => refused++)
  for (let i = 0; i < WAITS && refused < 10; i++) await sleep(WAIT_MS)
  expect(refused).toBeGreaterThanOrEqual(10)
  expect(await connections()).toBeLessThanOrEqual(TIMEOUTS.connections)
  for (const socket of many) socket.destroy()
  expect(await untilConnections((count) => count === 0)).toBe(0)
  expect((await fetch(`${vault.url}/health`, { headers: { connection: 'close' } })).status).toBe(200)
})

test('a connection that was opened in advance does not keep a vault that is to stop', async () => {
  // With limits that no test would live to see: whoever ends the connection is not one of them.
  const forever = Number.MAX_SAFE_INTEGER
  const stopping = await liveVault({}, { timeouts: { idleTimeoutMs: 0, headersMs: 0, requestMs: forever } })
  const { hostname, port } = new URL(stopping.url)
  const silent = connect(Number(port), hostname)
  await once(silent, 'connect')
  const ended = once(silent, 'close')
  await stopping.close()
  await ended
})
