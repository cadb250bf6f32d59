import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { liveVault } from '../../../test/support/live.ts'

test('a request that comes on an idle connection just after the stop is answered, and ends the connection', async () => {
  // Longer than any machine takes: the stop waits for the connection alone.
  const vault = await liveVault({}, { timeouts: { drainMs: 3_600_000 } })
  const { host, hostname, port } = new URL(vault.url)
  const socket = connect(Number(port), hostname)
  const request = `GET /api/v1/billing/plans HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  socket.write(request)
  const [first] = await once(socket, 'data')
  const answers = text(socket)
  const closed = vault.close()
  while (vault.app.server.server.listening) await nextIteration()
  socket.write(request)
  const second = (await answers).toLowerCase()
  await closed
  expect(String(first)).toMatch(/^HTTP\/1.1 200 /)
  expect(second).toMatch(/^http\/1.1 200 /)
  expect(second).toMatch(/\r\nconnection: close\r\n/)
})

test('while the server stops, what has begun is answered, and what comes is refused in our own form', async () => {
  const vault = await liveVault()
  const { host, hostname, port } = new URL(vault.url)
  const { server } = vault.app.server
  const accepted = once(server, 'connection')
  const coming = connect(Number(port), hostname)
  // Half a line keeps the connection from being idle.
  coming.write('POST /api/v1/auth/regi')
  const [socket] = await accepted
  while (socket.bytesRead === 0) await nextIteration()
  const begun = connect(Number(port), hostname)
  const answers = Promise.all([text(begun), text(coming)])
  const body = JSON.stringify({ email: 'nobody@example.com', password: 'correct horse battery' })
  const head = `Host: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  const request = once(server, 'request')
  begun.write(`POST /api/v1/auth/register HTTP/1.1\r\n${head}`)
  await request
  const idleEnds = vi.spyOn(server, 'closeIdleConnections')
  const closed = vault.close()
  while (idleEnds.mock.calls.length === 0) await nextIteration()
  coming.write(`ster HTTP/1.1\r\n${head}${body}`)
  begun.write(body)
  const [first, second] = await answers
  await closed
  expect(first).toMatch(/^HTTP\/1.1 201 /)
  expect(first.toLowerCase()).toMatch(/\r\nconnection: close\r\n/)
  expect(second).toMatch(/^HTTP\/1.1 503 /)
  expect(second.toLowerCase()).toMatch(/\r\nretry-after: 2\r\n/)
  expect(second.toLowerCase()).toMatch(/\r\nconnection: close\r\n/)
  expect(JSON.parse(second.split('\r\n\r\n')[1] ?? '')).toEqual({
    detail: 'The server is stopping. Try again in a moment.',
    code: 'unavailable',
  })
})
