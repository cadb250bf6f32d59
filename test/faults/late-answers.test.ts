import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { type Client, clientOf } from '../support/client.ts'
import { makeVault, QUICK_HASHING, type Vault } from '../support/engines.ts'

/** Somebody else who keeps a lock until the returned function is called. */
async function lock({ engine, env, dataDir }: Vault): Promise<() => Promise<void>> {
  if (engine === 'sqlite') {
    const other = new DatabaseSync(join(dataDir, 'vault.db'))
    other.exec('begin immediate')
    return async () => other.close()
  }
  const other = new pg.Client({ connectionString: env.DATABASE_URL })
  await other.connect()
  await other.query('begin; lock table workspaces, recall_items in access exclusive mode')
  return () => other.end()
}

describe.each(['sqlite', 'postgres'] as const)('a request that waits on %s', (engine) => {
  let vault: Vault
  let app: App
  let url: string
  let person: Client
  let authorization: string

  beforeAll(async () => {
    vault = await makeVault(engine, { DATABASE_POOL_SIZE: '1' })
    app = await buildApp(readConfig(vault.env), {
      log: pino({ level: 'silent' }),
      passwordHashing: QUICK_HASHING,
      jobs: [],
      shedding: false,
      timeouts: { idleTimeoutMs: 300 },
    })
    url = await app.server.listen({ host: '127.0.0.1', port: 0 })
    const account = { email: 'dev@example.com', password: 'correct horse battery' }
    const { body } = await clientOf(app, {}).post('/api/v1/auth/register', account)
    authorization = `Bearer ${body.access_token}`
    person = clientOf(app, { authorization })
  })
  afterAll(async () => {
    await app.close()
    await vault.remove()
  })

  const send = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const makeTeam = (name: string) => send('/api/v1/workspaces', { name })
  const isLate = async (answer: Response) => {
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('2')
    expect(answer.headers.get('connection')).toBe('close')
    expect(await answer.json()).toMatchObject({
      code: 'unavailable',
      detail: expect.stringContaining('too long'),
    })
  }

  test('is answered before its connection is closed, and the server goes on', async () => {
    const free = await lock(vault)
    const answers = [
      makeTeam('first'),
      makeTeam('second'),
      ...(engine === 'postgres' ? [fetch(`${url}/api/v1/workspaces`, { headers: { authorization } })] : []),
    ]
    for (const answer of answers) await isLate(await answer)
    await free()
    expect((await person.post('/api/v1/workspaces', { name: 'afterwards' })).status).toBe(201)
  })

  test('has no header of the answer that was prepared', async () => {
    const free = await lock(vault)
    const make = { name: 'create_workspace', arguments: { name: 'third' } }
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: make }
    const answers = [
      send('/mcp', call, { accept: 'application/json, text/event-stream' }),
      ...(engine === 'postgres'
        ? ['effects/rows', 'auth/me/export'].map((path) =>
            fetch(`${url}/api/v1/${path}`, { headers: { authorization } }),
          )
        : []),
    ]
    for (const coming of answers) {
      const answer = await coming
      await isLate(answer)
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(answer.headers.get('content-disposition')).toBeNull()
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    }
    await free()
  })

  test('is closed where the client is the slow one', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.write('POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n')
    socket.write('Content-Length: 100\r\n\r\n{')
    await once(socket, 'close')
    expect(text).toBe('')
  })
})
