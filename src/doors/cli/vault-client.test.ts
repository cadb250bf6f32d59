import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { request, textOf } from './http-request.ts'
import { ask, callTool } from './vault-client.ts'

const LONG = 'x'.repeat(5000)

/** A server that is no vault. */
const server = createServer((asked, answer) => {
  if (asked.url === '/moved') answer.writeHead(308, { location: 'https://vault.example/moved' }).end('gone')
  else if (asked.url === '/late') answer.write('a beginning')
  else if (asked.url === '/long') answer.end(LONG)
  else if (asked.url?.startsWith('/any/')) answer.end('{}')
  else if (asked.url === '/json') asked.on('data', (chunk) => answer.end(`{"got":${chunk}}`))
})
let url = ''

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test('an answer comes with its status, its headers and its JSON', async () => {
  const reply = await ask(url, '/json', { body: { name: 'Zoë' } })
  expect(reply).toMatchObject({ status: 200, body: { got: { name: 'Zoë' } } })
  expect(Date.parse(reply.headers.date ?? '')).toBeGreaterThan(0)
})

test('a page in place of JSON, or JSON of another kind, is the answer of no vault', async () => {
  const words = `${url} does not answer as a vault does.`
  await expect(ask(url, '/long')).rejects.toThrow(words)
  await expect(callTool({ url: `${url}/any`, apiKey: 'k' }, 'search_records', {})).rejects.toThrow(
    words.replace(url, `${url}/any`),
  )
})

test('a server that leads elsewhere is not followed with a key in hand', async () => {
  await expect(ask(url, '/moved', { headers: { 'x-api-key': 'k' } })).rejects.toThrow(
    `${url} cannot be reached: it leads elsewhere (https://vault.example/moved); use that address if you trust it.`,
  )
})

test('a server that never finishes, or is not there, is said in words', async () => {
  await expect(ask(url, '/never', { timeoutMs: 50 })).rejects.toThrow('cannot be reached: no answer in time.')
  await expect(ask(url, '/late', { timeoutMs: 50 })).rejects.toThrow('cannot be reached: no answer in time.')
  for (const nowhere of ['http://127.0.0.1:9', 'HTTPS://127.0.0.1:9'])
    await expect(ask(nowhere, '/')).rejects.toThrow('cannot be reached: nothing listens there.')
})

test('an answer that is too large is not read to its end', async () => {
  await expect(
    request(`${url}/long`, { timeoutMs: 5000 }).then((answer) => textOf(answer, 4999)),
  ).rejects.toThrow('the answer is too large')
})
