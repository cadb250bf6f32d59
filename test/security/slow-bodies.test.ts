import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiKeyOf, type LiveVault, liveVault, registerPerson } from '../support/live.ts'

let vault: LiveVault
beforeAll(async () => {
  vault = await liveVault()
})
afterAll(() => vault.close())

/** Sends the head and half of the body, waits for `meanwhile`, sends the rest, and tells the status of the answer. */
async function slowly(path: string, key: string, body: object, meanwhile: () => Promise<unknown>) {
  const text = JSON.stringify(body)
  const { hostname, port } = new URL(vault.url)
  const socket = connect(Number(port), hostname)
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    `X-API-Key: ${key}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `Content-Length: ${text.length}`,
    'Connection: close',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${text.slice(0, 10)}`)
  await sleep(600)
  await meanwhile()
  socket.write(text.slice(10))
  let answer = ''
  for await (const chunk of socket) answer += chunk
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])
}

test('a key that is deleted while a body is being sent does nothing at any door', async () => {
  const person = await registerPerson(vault)
  const call = { name: 'list_workspaces', arguments: {} }
  const requests: [path: string, body: object][] = [
    ['/api/v1/project-context/events', { project_key: 'org/repo', event_type: 'summary', content: 'late' }],
    ['/mcp/tools/list_workspaces', { padding: null }],
    ['/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }],
  ]
  const statuses = requests.map(async ([path, body]) => {
    const key = await apiKeyOf(person)
    const keys: { key_id: string; prefix: string }[] = (await person.get('/api/v1/auth/api-keys')).body
    const own = keys.find(({ prefix }) => key.startsWith(prefix))
    return slowly(path, key, body, () => person.delete(`/api/v1/auth/api-keys/${own?.key_id}`))
  })
  expect(await Promise.all(statuses)).toEqual([401, 401, 401])
  const { body } = await person.get('/api/v1/project-context/projects')
  expect(body.total).toBe(0)
})

test('a slow body with a key that lives is taken', async () => {
  const person = await registerPerson(vault, 'slow@example.com')
  const event = { project_key: 'org/repo', event_type: 'summary', content: 'slow' }
  const key = await apiKeyOf(person)
  expect(await slowly('/api/v1/project-context/events', key, event, async () => {})).toBe(201)
})
