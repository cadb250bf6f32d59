import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { clientOf } from '../../test/support/client.ts'
import { makeVault, QUICK_HASHING, type Vault } from '../../test/support/engines.ts'
import { type App, buildApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { memoryLimits } from '../core/limits.ts'
import { limitsAmongNodes } from './node-limits.ts'
import { openDatabase } from './open.ts'

describe('two nodes on one database of postgres', () => {
  let vault: Vault
  let nodes: [App, App]

  beforeAll(async () => {
    vault = await makeVault('postgres', { RATE_LIMIT: 'on' })
    const node = () =>
      buildApp(readConfig(vault.env), {
        log: pino({ level: 'silent' }),
        jobs: [],
        shedding: false,
        passwordHashing: QUICK_HASHING,
      })
    nodes = [await node(), await node()]
  })
  afterAll(async () => {
    for (const node of nodes) await node.close()
    await vault.remove()
  })

  const inTurn = <T>(times: number, ask: (node: App, i: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: times }, (_, i) => ask(nodes[i % 2] as App, i)))

  test.each([
    [
      'logins',
      '192.0.2.1',
      '/api/v1/auth/login',
      (i: number) => ({ email: `n${i}@e.example`, password: 'x' }),
    ],
    [
      'resets',
      '192.0.2.2',
      '/api/v1/auth/password/reset-request',
      (i: number) => ({ email: `${i}@e.example` }),
    ],
    ['chats', '192.0.2.3', '/api/v1/chat/support', (i: number) => ({ message: `How do I search? ${i}` })],
    ['tickets', '192.0.2.4', '/api/v1/support/tickets', () => ({})],
  ])('a burst of %s over both gets exactly the limit of one', async (_, remoteAddress, url, bodyOf) => {
    const answers = await inTurn(40, (node, i) =>
      node.server.inject({ method: 'POST', url, payload: bodyOf(i), remoteAddress }),
    )
    expect(answers.filter(({ statusCode }) => statusCode !== 429)).toHaveLength(10)
    const refused = answers.find(({ statusCode }) => statusCode === 429)
    expect(refused?.json().code).toBe('rate_limited')
    expect(refused?.headers).toMatchObject({ 'ratelimit-limit': '10', 'ratelimit-remaining': '0' })
    const seconds = Number(refused?.headers['retry-after'])
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(60)
  })

  test('searches on one count on the other within a few seconds', async () => {
    const [first, second] = nodes.map((node) => node.services.limits)
    for (let i = 0; i < 100; i++) first?.hitAmongNodes('search:key', 120)
    const searchOnSecond = () => second?.hitAmongNodes('search:key', 120).remaining
    await vi.waitUntil(() => (searchOnSecond() ?? 120) < 20, { timeout: 10_000, interval: 500 })
  })

  test('a search of a person is counted so', async () => {
    const [first, second] = nodes
    const registered = await clientOf(first, {}).post('/api/v1/auth/register', {
      email: 'searcher@example.com',
      password: 'correct horse battery',
    })
    const authorization = `Bearer ${registered.body.access_token}`
    const key = await clientOf(first, { authorization }).post('/api/v1/auth/api-keys', { name: 'both' })
    const search = async (node: App) => {
      const { headers } = await node.server.inject({
        method: 'POST',
        url: '/api/v1/search',
        headers: { 'x-api-key': key.body.api_key },
        payload: { query: 'okapi' },
      })
      return Number(headers['ratelimit-remaining'])
    }
    for (let i = 0; i < 10; i++) await search(first)
    await search(second)
    await vi.waitUntil(async () => (await search(second)) < 108, { timeout: 10_000, interval: 500 })
  })

  test('keys are stored as hashes only', async () => {
    const rows = await nodes[0].services.database.read.selectFrom('rate_limits').selectAll().execute()
    expect(rows.length).toBeGreaterThan(3)
    for (const { key } of rows) expect(key).toMatch(/^[\w-]{43}$/)
  })

  test('without the database each node counts alone', async () => {
    const database = openDatabase(readConfig(vault.env))
    const limits = await limitsAmongNodes(database, memoryLimits())
    await database.close()
    const states = []
    for (let i = 0; i < 3; i++) states.push(await limits.hitTogether('auth:192.0.2.9', 2))
    expect(states.map(({ exceeded }) => exceeded)).toEqual([false, false, true])
  })
})
