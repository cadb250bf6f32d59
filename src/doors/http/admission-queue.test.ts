import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { MAX_DATABASE_WAIT_MS, MAX_WAIT_TIME_MS, shedLoad } from './connections.ts'

/** `stepMs` is how much later it is each time somebody looks at the clock. */
function serverWith({ stepMs = 0, databaseWaitMs = (_work: 'read' | 'write') => 0 }) {
  const app = Fastify()
  let time = 0
  shedLoad(app, { waitMs: databaseWaitMs, serve: (_since, request) => request() }, () => (time += stepMs))
  app.get('/work', async () => 'done')
  app.post('/work', async () => 'done')
  app.get('/health', async () => 'up')
  return app
}

const statuses = async (app: ReturnType<typeof serverWith>, requests: number) =>
  (await Promise.all(Array.from({ length: requests }, () => app.inject('/work')))).map(
    (answer) => answer.statusCode,
  )

test('a process that keeps up lets everybody in', async () => {
  expect(new Set(await statuses(serverWith({}), 100))).toEqual(new Set([200]))
})

test('a burst waits in the queue and is answered completely', async () => {
  expect(new Set(await statuses(serverWith({ stepMs: 2 }), 100))).toEqual(new Set([200]))
})

test('requests that would wait too long are refused with Retry-After, health is answered, and requests are accepted again afterwards', async () => {
  const app = serverWith({ stepMs: MAX_WAIT_TIME_MS })
  const asked = Array.from({ length: 20 }, () => app.inject('/work'))
  const health = app.inject('/health')
  const answers = await Promise.all(asked)
  const refused = answers.filter((answer) => answer.statusCode === 503)
  expect(refused.length).toBeGreaterThan(10)
  expect(answers.filter((answer) => answer.statusCode === 200).length).toBeGreaterThan(0)
  for (const answer of refused) {
    expect(answer.headers['retry-after']).toBe('2')
    expect(answer.json()).toMatchObject({ code: 'unavailable', detail: expect.any(String) })
  }
  expect((await health).statusCode).toBe(200)
  expect((await app.inject('/work')).statusCode).toBe(200)
})

test('reads continue while writes wait long for the database', async () => {
  const app = serverWith({ databaseWaitMs: (work) => (work === 'write' ? MAX_DATABASE_WAIT_MS + 1 : 0) })
  expect((await app.inject({ method: 'POST', url: '/work' })).statusCode).toBe(503)
  expect((await app.inject('/work')).statusCode).toBe(200)
})
