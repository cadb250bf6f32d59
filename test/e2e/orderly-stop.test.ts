import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { expect, test, vi } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { makeVault } from '../support/engines.ts'

test('a request that runs at the stop gets its answer, and its connection, which the client keeps open, delays nothing', async () => {
  const vault = await makeVault('sqlite')
  const app = await buildApp(readConfig(vault.env), { jobs: [] })
  await app.server.listen({ host: '127.0.0.1', port: 0 })
  const { server } = app.server
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const body = JSON.stringify({ email: 'late@example.com', password: 'correct horse battery' })
  const arrived = once(server, 'request')
  client.write(
    `POST /api/v1/auth/register HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
  )
  await arrived
  const closed = app.close()
  await vi.waitUntil(() => !server.listening, { timeout: 10_000 })
  client.write(body.slice(10))
  expect(String(await once(client, 'data'))).toMatch(/^HTTP\/1\.1 201 /)
  await closed
  client.destroy()
  await vault.remove()
  // Shorter than the silence after which the connection would be closed in any case.
}, 15_000)

test('a client that never ends its request is cut off, so that the stop is an orderly one', async () => {
  const vault = await makeVault('sqlite')
  const app = await buildApp(readConfig(vault.env), { jobs: [], timeouts: { stopMs: 50 } })
  await app.server.listen({ host: '127.0.0.1', port: 0 })
  const { server } = app.server
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const arrived = once(server, 'request')
  client.write(
    'POST /api/v1/auth/register HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{',
  )
  await arrived
  await app.close()
  client.destroy()
  await vault.remove()
}, 5000)
