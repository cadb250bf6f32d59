import Fastify from 'fastify'
import pino from 'pino'
import { expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { unavailable } from '../../core/errors.ts'
import { Answers } from './answers.ts'
import { sendError } from './errors.ts'
import { RouteTimes } from './metrics.ts'

test('an answer that is still compressed when another one goes out is dropped', async () => {
  const answers = new Answers(readConfig({}), new RouteTimes(), pino({ level: 'silent' }))
  const app = Fastify()
  app.get('/', (request, reply) => {
    answers.send(request, reply, { status: 200, text: '"word"'.repeat(20_000) }, true)
    sendError(reply, unavailable('The answer takes too long.'))
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const ask = () => fetch(url, { headers: { 'accept-encoding': 'gzip' } })
  expect((await ask()).status).toBe(503)
  expect((await ask()).status).toBe(503)
  await app.close()
})
