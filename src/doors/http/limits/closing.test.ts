import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { liveVault } from '../../../../test/support/live.ts'

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
  const closed = vault.close()
  while (vault.app.server.server.listening) await nextIteration()
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
