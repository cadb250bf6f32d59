import Fastify from 'fastify'
import { expect, test } from 'vitest'
import type { Database } from '../../db/db.ts'
import { handleErrors } from './errors.ts'
import { LONGEST_DELAY_MS, shedLoad } from './overload.ts'

async function serverWithDelay(delayMs: () => number) {
  const app = Fastify()
  handleErrors(app, { isUnavailable: () => false } as unknown as Database)
  shedLoad(app, delayMs)
  app.get('/work', async () => 'done')
  app.get('/health', async () => 'up')
  return app
}

test('a process that is far behind refuses work with Retry-After, keeps answering health, and takes work again', async () => {
  let delay = LONGEST_DELAY_MS + 1
  const app = await serverWithDelay(() => delay)
  const refused = await app.inject('/work')
  expect(refused.statusCode).toBe(503)
  expect(refused.headers['retry-after']).toBe('2')
  expect(refused.json()).toMatchObject({ code: 'unavailable' })
  expect((await app.inject('/health')).statusCode).toBe(200)
  delay = 0
  expect((await app.inject('/work')).statusCode).toBe(200)
})

test('a process at rest refuses nothing', async () => {
  const app = Fastify()
  shedLoad(app)
  app.get('/work', async () => 'done')
  expect((await app.inject('/work')).statusCode).toBe(200)
  await app.close()
})
