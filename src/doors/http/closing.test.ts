import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { liveVault } from '../../../test/support/live.ts'

test('a request that comes on an idle connection just after the stop is answered, and ends the connection', async () => {
  // Longer than any machine takes: the stop waits for the connection alone.
  const vault = await liveVault({}, { patience: { drainMs: 3_600_000 } })
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
  const socket = connect(Number(port), hostname)
  const answers = text(socket)
  const body = JSON.stringify({ email: 'nobody@example.com', password: 'correct horse battery' })
  const head = `Host: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  const begun = once(vault.app.server.server, 'request')
  socket.write(`POST /api/v1/auth/register HTTP/1.1\r\n${head}`)
  await begun
  const idleEnds = vi.spyOn(vault.app.server.server, 'closeIdleConnections')
  const closed = vault.close()
  while (idleEnds.mock.calls.length === 0) await nextIteration()
  socket.write(`${body}POST /api/v1/auth/register HTTP/1.1\r\n${head}${body}`)
  const [, first = '', second = ''] = (await answers).split('HTTP/1.1 ')
  await closed
  expect(first).toMatch(/^201 /)
  expect(second).toMatch(/^503 /)
  expect(second.toLowerCase()).toMatch(/\r\nretry-after: 2\r\n/)
  expect(second.toLowerCase()).toMatch(/\r\nconnection: close\r\n/)
  expect(JSON.parse(second.split('\r\n\r\n')[1] ?? '')).toEqual({
    detail: 'The server is stopping. Try again in a moment.',
    code: 'unavailable',
  })
})
